import type { ProviderPlugin } from "weir/plugin";

/** Mistral. Fill-in-the-middle and agent completions respond like chats. */
export default {
  apiVersion: 1,
  name: "MISTRAL",
  aliases: ["mistral-ai"],
  hosts: ["api.mistral.ai", "codestral.mistral.ai"],
  target: "https://api.mistral.ai",
  dedicatedDomain: "mistral",
  extends: "OPENAI",
  wireSchemas: [{ path: /\/(?:fim|agents)\/completions$/, schema: "chat-completions" }],
  // Its chat completions have no web search.
  models: [{ match: "*", rejects: ["web_search_options"] }],
} satisfies ProviderPlugin;
