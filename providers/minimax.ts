import type { ProviderPlugin } from "weir/plugin";

/** MiniMax, in OpenAI's manner and, under `anthropic`, in Anthropic's. */
export default {
  apiVersion: 1,
  name: "MINIMAX",
  hosts: ["api.minimax.io", "api.minimaxi.com", "api.minimax.chat"],
  target: "https://api.minimax.io",
  dedicatedDomain: "minimax",
  extends: "OPENAI",
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
