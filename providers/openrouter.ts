import type { ProviderPlugin } from "weir/plugin";

/**
 * OpenRouter. It states the cost of each request; if the caller uses a key of the model's vendor, the cost is in the
 * details.
 */
export default {
  apiVersion: 1,
  name: "OPENROUTER",
  hosts: ["openrouter.ai", "*.openrouter.ai"],
  target: "https://openrouter.ai",
  dedicatedDomain: "openrouter",
  extends: "OPENAI",
  basePath: "/api/v1",
  shapes: ["chat-completions", "responses", "messages", "embeddings"],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
