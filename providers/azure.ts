import type { EndpointCall, ProviderPlugin } from "weir/plugin";

/**
 * Azure OpenAI and Azure AI Foundry. Every customer has its own hosts, so the provider's gateway address has no target to
 * forward to. The deployment in the path is the model if the body names none.
 */
export default {
  apiVersion: 1,
  name: "AZURE",
  aliases: ["azure-openai", "azure-ai"],
  hosts: [
    "*.openai.azure.com",
    "*.services.ai.azure.com",
    "*.cognitiveservices.azure.com",
    "*.models.ai.azure.com",
    "*.inference.ai.azure.com",
    "*.openai.azure.us",
  ],
  extends: "OPENAI",
  mask: { headers: ["ocp-apim-subscription-key"], query: ["api-key", "subscription-key"] },
  wireSchemas: [{ path: /\/messages(?:\/count_tokens)?$/, schema: "messages" }],
  origin: ({ settings }) => new URL(settings["endpoint"]!).origin,
  shapes: [
    {
      shape: "messages",
      serves: ({ model }) => model.startsWith("claude-"),
      threads: true,
      path: () => "/anthropic/v1/messages",
      countPath: () => "/anthropic/v1/messages/count_tokens",
      headers: { "anthropic-version": "2023-06-01" },
    },
    { shape: "responses", path: (call) => at(call, "responses") },
    { shape: "chat-completions", path: (call) => at(call, "chat/completions") },
    { shape: "completions", path: (call) => at(call, "completions") },
    { shape: "embeddings", path: (call) => at(call, "embeddings") },
  ],
  auth: "azure",
  credential: {
    secret: ["api_key", "client_secret"],
    oneOf: [["api_key"], ["client_secret", "tenant_id", "client_id"]],
    settings: {
      endpoint: { type: "string", pattern: "^https?://", description: "Such as https://acme.openai.azure.com." },
      api_version: { type: "string", default: "v1" },
      tenant_id: { type: "string" },
      client_id: { type: "string" },
    },
    required: ["endpoint"],
  },
  models: [{ of: "OPENAI" }, { of: "ANTHROPIC" }],
} satisfies ProviderPlugin;

/** A date as version selects the older paths, which contain a deployment, except for Responses. */
function at({ model, settings }: EndpointCall, operation: string): string {
  const version = settings["api_version"] ?? "v1";
  if (version === "v1" || version === "preview") return `/openai/v1/${operation}`;
  const deployment = operation === "responses" ? "" : `deployments/${encodeURIComponent(model)}/`;
  return `/openai/${deployment}${operation}?api-version=${encodeURIComponent(version)}`;
}
