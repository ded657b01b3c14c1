import type { ProviderPlugin } from "weir/plugin";

/** OpenRouter. It states what each request cost; where the caller brought a key of the model's maker, in the details. */
export default {
  apiVersion: 1,
  name: "OPENROUTER",
  aliases: ["open-router"],
  hosts: ["openrouter.ai", "*.openrouter.ai"],
  target: "https://openrouter.ai",
  dedicatedDomain: "openrouter",
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
