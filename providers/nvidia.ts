import type { ProviderPlugin } from "weir/plugin";

/** NVIDIA NIM, hosted. */
export default {
  apiVersion: 1,
  name: "NVIDIA",
  aliases: ["nvidia-nim", "nim"],
  hosts: ["integrate.api.nvidia.com", "ai.api.nvidia.com"],
  target: "https://integrate.api.nvidia.com",
  dedicatedDomain: "nvidia",
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
    { path: /\/(?:ranking|reranking)$/, schema: "rerank" },
  ],
} satisfies ProviderPlugin;
