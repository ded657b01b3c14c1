import type { ProviderPlugin } from "weir/plugin";

/** Databricks Model Serving. Every workspace has a host of its own. An endpoint's invocations have the form of what it serves. */
export default {
  apiVersion: 1,
  name: "DATABRICKS",
  aliases: ["mosaic"],
  hosts: ["*.cloud.databricks.com", "*.azuredatabricks.net", "*.gcp.databricks.com"],
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
    { path: /\/serving-endpoints\/[^/]+\/invocations$/, schema: "chat-completions" },
    { path: /\/serving-endpoints\/[^/]+\/invocations$/, schema: "embeddings" },
    { path: /\/serving-endpoints\/[^/]+\/invocations$/, schema: "completions" },
  ],
} satisfies ProviderPlugin;
