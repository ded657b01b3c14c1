import type { Json, ProviderPlugin } from "weir/plugin";

/** Cohere: its own chat in both versions, and an OpenAI-compatible endpoint under `compatibility`. */
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
  shapes: [
    { shape: "cohere-chat", path: () => "/v2/chat" },
    { shape: "embeddings", path: () => "/v2/embed" },
  ],
  listModels: {
    path: "/v1/models?page_size=1000",
    fromOrigin: true,
    read: (body) => (Array.isArray(body?.models) ? body.models.map((model: Json) => model?.name) : []),
  },
  models: [
    { match: "command-*", context: 128_000, maxOutput: 4_096, input: ["text"], reasoning: "none", jsonSchema: true },
    { match: "command-a-*", context: 256_000, maxOutput: 8_192 },
    { match: "command-a-vision-*", input: ["text", "image"] },
    { match: "command-a-reasoning-*", maxOutput: 32_768, reasoning: "budget" },
  ],
} satisfies ProviderPlugin;
