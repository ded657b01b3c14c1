import type { Json, ProviderPlugin } from "weir/plugin";

/**
 * Ollama's cloud. A self-hosted server may have any host; it is recognized by its format, or named with
 * `Gateway-Target-Provider`.
 */
export default {
  apiVersion: 1,
  name: "OLLAMA",
  aliases: ["ollama-cloud"],
  hosts: ["ollama.com", "api.ollama.com"],
  target: "https://ollama.com",
  dedicatedDomain: "ollama",
  wireSchemas: [
    { path: /\/api\/chat$/, schema: "ollama-chat" },
    { path: /\/api\/generate$/, schema: "ollama-generate" },
    { path: /\/api\/embed(?:dings)?$/, schema: "embeddings" },
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/chat\/completions(?:\/[^/]+)?$/, schema: "chat-completions" },
    { path: /\/responses(?:\/[^/]+)?(?:\/(?:cancel|compact|input_tokens))?$/, schema: "responses" },
    { path: /\/completions$/, schema: "completions" },
    { path: /\/embeddings$/, schema: "embeddings" },
  ],
  shapes: [
    { shape: "ollama-chat", path: () => "/api/chat" },
    { shape: "embeddings", path: () => "/api/embed" },
  ],
  credential: { secret: ["api_key"], oneOf: [["api_key"], []] },
  listModels: {
    path: "/api/tags",
    fromOrigin: true,
    read: (body) => (Array.isArray(body?.models) ? body.models.map((model: Json) => model?.name) : []),
  },
} satisfies ProviderPlugin;
