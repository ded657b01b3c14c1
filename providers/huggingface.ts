import type { ProviderPlugin } from "weir/plugin";

/**
 * Hugging Face: its router, hosted inference, and endpoints of customers. What runs there may also speak the form of Text Generation
 * Inference.
 */
export default {
  apiVersion: 1,
  name: "HUGGINGFACE",
  aliases: ["hugging-face", "hf"],
  hosts: ["router.huggingface.co", "api-inference.huggingface.co", "*.endpoints.huggingface.cloud"],
  target: "https://router.huggingface.co",
  dedicatedDomain: "huggingface",
  extends: "OPENAI",
  wireSchemas: [
    { path: /\/chat\/completions(?:\/[^/]+)?$/, schema: "chat-completions" },
    { path: /\/responses(?:\/[^/]+)?(?:\/(?:cancel|compact|input_tokens))?$/, schema: "responses" },
    { path: /\/completions$/, schema: "completions" },
    { path: /\/embeddings$/, schema: "embeddings" },
    { path: /\/images\/(?:generations|edits|variations)$/, schema: "images" },
    { path: /\/audio\/speech$/, schema: "speech" },
    { path: /\/audio\/(?:transcriptions|translations)$/, schema: "transcriptions" },
    { path: /\/moderations$/, schema: "moderations" },
    { path: /\/rerank$/, schema: "rerank" },
    { path: /\/pipeline\/(?:feature-extraction|sentence-similarity)$/, schema: "embeddings" },
    { path: /\/models\/.+$/, schema: "text-generation" },
    { path: /\/generate(?:_stream)?$/, schema: "text-generation" },
    { path: /^\/$/, schema: "text-generation" },
  ],
} satisfies ProviderPlugin;
