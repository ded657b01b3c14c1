import type { ProviderPlugin } from "weir/plugin";

/** Fireworks AI. It also has Anthropic's Messages API. */
export default {
  apiVersion: 1,
  name: "FIREWORKS",
  aliases: ["fireworks-ai"],
  hosts: ["api.fireworks.ai"],
  target: "https://api.fireworks.ai",
  dedicatedDomain: "fireworks",
  extends: "OPENAI",
  basePath: "/inference/v1",
  shapes: ["chat-completions", "messages", "embeddings"],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
  // It has no web search, in neither shape.
  models: [{ match: "*", rejects: ["web_search_options", "web_search"] }],
} satisfies ProviderPlugin;
