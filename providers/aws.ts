import type { EndpointCall, ProviderPlugin } from "weir/plugin";

const novaEffort = Object.fromEntries(
  ["low", "medium", "high"].map((maxReasoningEffort) => [
    maxReasoningEffort,
    { reasoningConfig: { type: "enabled", maxReasoningEffort } },
  ]),
);

const countPath = ({ model }: EndpointCall) => `/model/${encodeURIComponent(model)}/count-tokens`;

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
