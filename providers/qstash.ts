import type { ProviderPlugin } from "weir/plugin";

/** Upstash QStash: a queue of messages, which also carries chat completions. */
export default {
  apiVersion: 1,
  name: "QSTASH",
  aliases: ["upstash"],
  hosts: ["qstash.upstash.io", "qstash-*.upstash.io"],
  target: "https://qstash.upstash.io",
  dedicatedDomain: "qstash",
  extends: "OPENAI",
  mask: { headers: ["upstash-forward-authorization"] },
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
