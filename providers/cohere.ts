import type { ProviderPlugin } from "weir/plugin";

/** Cohere: its own chat in both versions, and an endpoint in OpenAI's manner under `compatibility`. */
export default {
  apiVersion: 1,
  name: "COHERE",
  aliases: ["cohere-ai"],
  hosts: ["api.cohere.com", "api.cohere.ai"],
  target: "https://api.cohere.com",
  dedicatedDomain: "cohere",
  wireSchemas: [
    { path: /\/chat\/completions$/, schema: "chat-completions" },
    { path: /\/v[12]\/chat$/, schema: "cohere-chat" },
    { path: /\/(?:generate|summarize)$/, schema: "cohere-generate" },
    { path: /\/embed(?:dings)?$/, schema: "embeddings" },
    { path: /\/rerank$/, schema: "rerank" },
  ],
} satisfies ProviderPlugin;
