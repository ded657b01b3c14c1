import type { ProviderPlugin } from "weir/plugin";

/** Anthropic: its own messages, the older text completions, and an endpoint in OpenAI's manner. */
export default {
  apiVersion: 1,
  name: "ANTHROPIC",
  aliases: ["claude"],
  hosts: ["api.anthropic.com", "*.api.anthropic.com"],
  target: "https://api.anthropic.com",
  dedicatedDomain: "anthropic",
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/complete$/, schema: "text-generation" },
    { path: /\/chat\/completions$/, schema: "chat-completions" },
  ],
} satisfies ProviderPlugin;
