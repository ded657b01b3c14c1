import type { EndpointCall, ProviderPlugin } from "weir/plugin";

/**
 * Betas that Claude takes at Azure; others are a 400.
 *
 * Source: LiteLLM's list of betas by platform; Anthropic, Message threads.
 */
const BETAS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "advanced-tool-use-2025-11-20",
      "code-execution-2025-08-25",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "dangerous-tool-use-2026-09-03",
      "effort-2025-11-24",
      "files-api-2025-04-14",
      "interleaved-thinking-2025-05-14",
      "mcp-client-2025-04-04",
      "mcp-client-2025-11-20",
      "message-threads-2026-08-12",
      "per-turn-control-2026-07-01",
      "prompt-caching-scope-2026-01-05",
      "skills-2025-10-02",
      "structured-outputs-2025-11-13",
      "thinking-display-updates-2026-08-18",
      "web-fetch-2025-09-10",
      "web-search-2025-03-05",
    ].map((beta) => [beta, beta]),
  ),
};

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
      betas: BETAS,
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
