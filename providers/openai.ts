import type { ProviderPlugin } from "weir/plugin";

/** OpenAI. Nearly everybody else extends it: what a path ends with is what tells the format. */
export default {
  apiVersion: 1,
  name: "OPENAI",
  hosts: ["api.openai.com", "*.api.openai.com"],
  target: "https://api.openai.com",
  dedicatedDomain: "openai",
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
  ],
} satisfies ProviderPlugin;
