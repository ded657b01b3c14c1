import type { ProviderPlugin } from "weir/plugin";

/**
 * Databricks Model Serving. Every workspace has its own host. An endpoint's invocations have the format of the model that it
 * serves.
 */
export default {
  apiVersion: 1,
  name: "DATABRICKS",
  aliases: ["mosaic"],
  hosts: ["*.cloud.databricks.com", "*.azuredatabricks.net", "*.gcp.databricks.com"],
  extends: "OPENAI",
  basePath: "/serving-endpoints",
  credential: { secret: ["api_key"], baseUrl: "required" },
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/serving-endpoints\/[^/]+\/invocations$/, schema: "chat-completions" },
    { path: /\/serving-endpoints\/[^/]+\/invocations$/, schema: "embeddings" },
    { path: /\/serving-endpoints\/[^/]+\/invocations$/, schema: "completions" },
  ],
} satisfies ProviderPlugin;
