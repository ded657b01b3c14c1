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
  // It refuses `previous_response_id`. Source: OpenRouter's page on errors of its Responses API.
  shapes: ["chat-completions", { shape: "responses", place: { stateless: true } }, "messages", "embeddings"],
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
} satisfies ProviderPlugin;
