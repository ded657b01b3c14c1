import type { EndpointCall, Json, ModelEntry, ProviderPlugin } from "weir/plugin";

/**
 * Facts of Google's own models. The second generation thinks within a token budget. Since the third, models think at a level
 * and require the signatures of their own calls. Source: the Gemini API's pages on models, thinking and thought signatures.
 */
const MODELS: readonly ModelEntry[] = [
  {
    match: "gemini-*",
    context: 1_048_576,
    maxOutput: 65_536,
    input: ["text", "image", "file", "audio"],
    reasoning: "level",
    jsonSchema: true,
    needsSignatures: true,
  },
  ...["gemini-1.5*", "gemini-2.0*"].map(
    (match): ModelEntry => ({ match, maxOutput: 8_192, reasoning: "none", needsSignatures: false, jsonSchema: false }),
  ),
  { match: "gemini-2.5*", reasoning: "budget", needsSignatures: false },
  { match: "gemini-2.5-pro*", mustThink: true },
  { match: "gemini-*-pro*", mustThink: true },
  { match: "gemini-3*-pro*", efforts: ["low", "medium", "high"] },
  { match: "gemma-*", maxOutput: 8_192, input: ["text", "image"], reasoning: "none", jsonSchema: false },
];

/**
 * Betas that Claude takes at Vertex; others are a 400.
 *
 * Source: LiteLLM's list of betas by platform.
 */
const BETAS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "compact-2026-01-12",
      "compact-2026-09-04",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "dangerous-tool-use-2026-09-03",
      "interleaved-thinking-2025-05-14",
      "per-turn-control-2026-07-01",
      "thinking-binding-controls-2026-08-01",
      "thinking-display-updates-2026-08-18",
      "tool-search-tool-2025-10-19",
      "web-search-2025-03-05",
    ].map((beta) => [beta, beta]),
  ),
  "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19",
};

/**
 * Google: Gemini on AI Studio and on Vertex. Vertex also has Claude (`rawPredict` with Anthropic's messages), Mistral (the
 * same with chat completions), and pictures and embeddings under `predict`, where the bodies determine the format.
 */
export default {
  apiVersion: 1,
  name: "GOOGLE",
  aliases: ["gemini", "google-ai-studio", "vertex", "vertex-ai", "google-vertex", "google-vertex-ai"],
  hosts: [
    "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com",
    "*-aiplatform.googleapis.com",
    "aiplatform.us.rep.googleapis.com",
    "aiplatform.eu.rep.googleapis.com",
  ],
  target: "https://generativelanguage.googleapis.com",
  dedicatedDomain: "google",
  mask: { query: ["key", "access_token"] },
  wireSchemas: [
    { path: /:(?:generateContent|streamGenerateContent|countTokens)$/, schema: "generate-content" },
    { path: /:(?:embedContent|batchEmbedContents)$/, schema: "embeddings" },
    { path: /\/interactions(?:\/[^/]+)?$/, schema: "interactions" },
    { path: /\/publishers\/anthropic\/models\/[^/]+:(?:rawPredict|streamRawPredict)$/, schema: "messages" },
    { path: /:(?:rawPredict|streamRawPredict)$/, schema: "chat-completions" },
    { path: /imagen[^/]*:predict$/, schema: "images" },
    { path: /embedding[^/]*:predict$/, schema: "embeddings" },
    { path: /\/openai\/embeddings$/, schema: "embeddings" },
    { path: /\/openai\/images\/generations$/, schema: "images" },
    { path: /\/chat\/completions$/, schema: "chat-completions" },
  ],
  origin: ({ settings }) => {
    const { location = "global", project } = settings;
    if (project === undefined) return "https://generativelanguage.googleapis.com";
    return `https://${location === "global" ? "" : `${location}-`}aiplatform.googleapis.com`;
  },
  shapes: [
    {
      shape: "messages",
      serves: isClaude,
      path: (call) =>
        `${vertex(call)}/publishers/anthropic/models/${call.model}:${call.stream ? "streamRawPredict" : "rawPredict"}`,
      countPath: (call) => `${vertex(call)}/publishers/anthropic/models/count-tokens:rawPredict`,
      place: { modelInPath: true, version: "vertex-2023-10-16", bytesOnly: true },
      betas: BETAS,
    },
    // At Vertex, names of other vendors' models begin with the vendor and a slash.
    {
      shape: "chat-completions",
      serves: isForeign,
      path: (call) => `${vertex(call)}/endpoints/openapi/chat/completions`,
    },
    {
      shape: "generate-content",
      serves: (call) => isGoogles(call) && !isForeign(call),
      path: (call) => method(call, call.stream ? "streamGenerateContent?alt=sse" : "generateContent"),
      countPath: (call) => method(call, "countTokens"),
    },
    {
      shape: "embeddings",
      serves: isGoogles,
      path: (call) => method(call, isVertex(call) ? "predict" : "batchEmbedContents"),
    },
  ],
  auth: "google",
  credential: {
    secret: ["api_key", "service_account"],
    oneOf: [["api_key"], ["service_account"]],
    settings: { project: { type: "string" }, location: { type: "string", pattern: "^[a-z0-9-]+$", default: "global" } },
  },
  listModels: {
    path: "/v1beta/models?pageSize=1000",
    fromOrigin: true,
    read: (body) =>
      Array.isArray(body?.models) ? body.models.map((model: Json) => String(model?.name).replace(/^models\//, "")) : [],
  },
  models: [...MODELS, { of: "ANTHROPIC" }],
} satisfies ProviderPlugin;

const isVertex = ({ settings }: EndpointCall) => settings["project"] !== undefined;

function isClaude(call: EndpointCall): boolean {
  return isVertex(call) && call.model.startsWith("claude-");
}

/** AI Studio has no Claude, and at Vertex it speaks Messages. */
function isGoogles({ model }: EndpointCall): boolean {
  return !model.startsWith("claude-");
}

/** Whether the model is another vendor's. */
function isForeign(call: EndpointCall): boolean {
  return isVertex(call) && call.model.includes("/") && !call.model.startsWith("google/");
}

const vertex = ({ settings: { project = "", location = "global" } }: EndpointCall) =>
  `/v1/projects/${encodeURIComponent(project)}/locations/${location}`;

function method(call: EndpointCall, name: string): string {
  const model = encodeURIComponent(call.model.replace(/^google\//, ""));
  return isVertex(call)
    ? `${vertex(call)}/publishers/google/models/${model}:${name}`
    : `/v1beta/models/${model}:${name}`;
}
