import type { EndpointCall, ProviderPlugin } from "weir/plugin";

const novaEffort = Object.fromEntries(
  ["low", "medium", "high"].map((maxReasoningEffort) => [
    maxReasoningEffort,
    { reasoningConfig: { type: "enabled", maxReasoningEffort } },
  ]),
);

const countPath = ({ model }: EndpointCall) => `/model/${encodeURIComponent(model)}/count-tokens`;

/**
 * Betas that Claude takes at Bedrock; others are a 400, "invalid beta flag".
 *
 * Source: user guide, Claude's Messages API; LiteLLM's list of betas by platform.
 */
const BETAS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "compact-2026-01-12",
      "computer-use-2024-10-22",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "context-1m-2025-08-07",
      "context-management-2025-06-27",
      "dangerous-tool-use-2026-09-03",
      "effort-2025-11-24",
      "fine-grained-tool-streaming-2025-05-14",
      "interleaved-thinking-2025-05-14",
      "mid-conversation-output-config-2026-07-01",
      "mid-conversation-tool-changes-2026-07-01",
      "output-128k-2025-02-19",
      "thinking-binding-controls-2026-08-01",
      "thinking-display-updates-2026-08-18",
      "token-efficient-tools-2025-02-19",
      "tool-examples-2025-10-29",
      "tool-search-tool-2025-10-19",
    ].map((beta) => [beta, beta]),
  ),
  "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19",
};

const gptOssEffort = Object.fromEntries(
  ["low", "medium", "high"].map((reasoning_effort) => [reasoning_effort, { reasoning_effort }]),
);

/**
 * Amazon Bedrock. An invocation has the format of the model's vendor, so several formats share its path: the first whose
 * bodies match is used. Embeddings and pictures are recognized by the model's name.
 */
export default {
  apiVersion: 1,
  name: "AWS",
  aliases: ["bedrock", "aws-bedrock", "amazon-bedrock", "amazon"],
  hosts: [
    "bedrock-runtime.*.amazonaws.com",
    "bedrock-runtime-fips.*.amazonaws.com",
    "bedrock-agent-runtime.*.amazonaws.com",
    "bedrock-mantle.*.api.aws",
    "bedrock-runtime.*.amazonaws.com.cn",
  ],
  mask: { headers: ["x-amz-security-token"], query: ["x-amz-signature", "x-amz-credential", "x-amz-security-token"] },
  wireSchemas: [
    { path: /\/converse(?:-stream)?$/, schema: "converse" },
    { path: /\/model\/[^/]*embed[^/]*\/invoke$/, schema: "embeddings" },
    { path: /\/model\/[^/]*rerank[^/]*\/invoke$/, schema: "rerank" },
    { path: /\/model\/[^/]*(?:image|canvas|stability|stable)[^/]*\/invoke$/, schema: "images" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "converse" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "messages" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "chat-completions" },
    { path: /\/invoke(?:-with-response-stream)?$/, schema: "text-generation" },
    { path: /\/chat\/completions(?:\/[^/]+)?$/, schema: "chat-completions" },
    { path: /\/responses(?:\/[^/]+)?(?:\/(?:cancel|compact|input_tokens))?$/, schema: "responses" },
  ],
  origin: ({ settings }) => `https://bedrock-runtime.${settings["region"]}.amazonaws.com`,
  shapes: [
    {
      shape: "messages",
      serves: ({ model }) => model.includes("anthropic.claude"),
      path: ({ model, stream }) =>
        `/model/${encodeURIComponent(model)}/${stream ? "invoke-with-response-stream" : "invoke"}`,
      countPath,
      betas: BETAS,
      place: {
        modelInPath: true,
        version: "bedrock-2023-05-31",
        betasInBody: true,
        streamInPath: true,
        bytesOnly: true,
        frames: "aws",
      },
    },
    {
      shape: "embeddings",
      serves: ({ model }) => model.includes("embed"),
      path: ({ model }) => `/model/${encodeURIComponent(model)}/invoke`,
    },
    {
      shape: "converse",
      serves: ({ model }) => !model.includes("anthropic.claude"),
      path: ({ model, stream }) => `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`,
      countPath,
    },
  ],
  auth: "sigv4",
  credential: {
    secret: ["access_key_id", "secret_access_key", "session_token", "api_key"],
    oneOf: [["access_key_id", "secret_access_key"], ["api_key"]],
    settings: { region: { type: "string", pattern: "^[a-z0-9-]+$", description: "Such as eu-central-1." } },
    required: ["region"],
  },
  models: [
    { of: "ANTHROPIC", before: "*anthropic." },
    {
      match: "*amazon.nova*",
      context: 300_000,
      maxOutput: 10_000,
      input: ["text", "image", "file"],
      reasoning: "none",
    },
    { match: "*amazon.nova-micro*", context: 128_000, input: ["text"] },
    {
      match: "*amazon.nova-2*",
      context: 1_000_000,
      maxOutput: 65_536,
      reasoning: "effort",
      efforts: ["none", "low", "medium", "high"],
      effortFields: novaEffort,
    },
    {
      match: "*openai.gpt-oss*",
      context: 128_000,
      input: ["text"],
      reasoning: "effort",
      efforts: ["low", "medium", "high"],
      mustThink: true,
      effortFields: gptOssEffort,
    },
    { match: "*meta.llama*", maxOutput: 8_192, reasoning: "none" },
  ],
} satisfies ProviderPlugin;
