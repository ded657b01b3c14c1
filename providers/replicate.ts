import type { ProviderPlugin } from "weir/plugin";

/**
 * Replicate: predictions of any kind, and an OpenAI-compatible proxy. The output of a prediction depends on the model: text
 * is read, everything else is kept as received.
 */
export default {
  apiVersion: 1,
  name: "REPLICATE",
  hosts: [
    "api.replicate.com",
    "stream.replicate.com",
    "streaming.api.replicate.com",
    "*.replicate.delivery",
    "openai-proxy.replicate.com",
  ],
  target: "https://api.replicate.com",
  dedicatedDomain: "replicate",
  wireSchemas: [
    { path: /\/predictions$/, schema: "text-generation" },
    { path: /\/chat\/completions(?:\/[^/]+)?$/, schema: "chat-completions" },
    { path: /\/responses(?:\/[^/]+)?(?:\/(?:cancel|compact|input_tokens))?$/, schema: "responses" },
    { path: /\/completions$/, schema: "completions" },
    { path: /\/embeddings$/, schema: "embeddings" },
  ],
} satisfies ProviderPlugin;
