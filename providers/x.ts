import type { ProviderPlugin } from "weir/plugin";

/** xAI. Its chat completions exclude reasoning from `completion_tokens`, and it states costs in ticks of 1e-10 dollars. */
export default {
  apiVersion: 1,
  name: "X",
  aliases: ["xai", "grok"],
  hosts: ["api.x.ai", "*.api.x.ai"],
  target: "https://api.x.ai",
  dedicatedDomain: "x",
  extends: "OPENAI",
  shapes: ["chat-completions", "responses", "messages"],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
