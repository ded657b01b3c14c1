import type { ProviderPlugin } from "weir/plugin";

/** Moonshot: Kimi models, in OpenAI's manner and, under `anthropic`, in Anthropic's. */
export default {
  apiVersion: 1,
  name: "MOONSHOT",
  aliases: ["moonshotai", "kimi"],
  hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
  target: "https://api.moonshot.ai",
  dedicatedDomain: "moonshot",
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
