import type { ProviderPlugin } from "weir/plugin";

/** Novita AI. */
export default {
  apiVersion: 1,
  name: "NOVITA",
  aliases: ["novita-ai"],
  hosts: ["api.novita.ai"],
  target: "https://api.novita.ai",
  dedicatedDomain: "novita",
  extends: "OPENAI",
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
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
