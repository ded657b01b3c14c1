import type { ProviderPlugin } from "weir/plugin";

/** DeepInfra. It states an estimated cost in `usage.estimated_cost`; `v1/inference` is its own format. */
export default {
  apiVersion: 1,
  name: "DEEPINFRA",
  aliases: ["deep-infra"],
  hosts: ["api.deepinfra.com"],
  target: "https://api.deepinfra.com",
  dedicatedDomain: "deepinfra",
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
    { path: /\/v1\/inference\/.+$/, schema: "text-generation" },
  ],
} satisfies ProviderPlugin;
