import type { ProviderPlugin } from "weir/plugin";

/** xAI. Its chat completions leave reasoning out of `completion_tokens`, and it states costs in ticks of 1e-10 dollars. */
export default {
  apiVersion: 1,
  name: "X",
  aliases: ["xai", "x-ai", "grok"],
  hosts: ["api.x.ai", "*.api.x.ai"],
  target: "https://api.x.ai",
  dedicatedDomain: "x",
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
