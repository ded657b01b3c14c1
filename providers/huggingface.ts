import type { ProviderPlugin } from "weir/plugin";

/**
 * Hugging Face: its router, hosted inference, and customers' endpoints. Models there may also use the format of Text
 * Generation Inference.
 */
export default {
  apiVersion: 1,
  name: "HUGGINGFACE",
  aliases: ["hf"],
  hosts: ["router.huggingface.co", "api-inference.huggingface.co", "*.endpoints.huggingface.cloud"],
  target: "https://router.huggingface.co",
  dedicatedDomain: "huggingface",
  extends: "OPENAI",
  shapes: ["chat-completions", "responses"],
  wireSchemas: [
    { path: /\/pipeline\/(?:feature-extraction|sentence-similarity)$/, schema: "embeddings" },
    { path: /\/models\/(?!.*\/v1\/).+$/, schema: "text-generation" },
    { path: /\/generate(?:_stream)?$/, schema: "text-generation" },
    { path: /^\/$/, schema: "text-generation" },
  ],
} satisfies ProviderPlugin;
