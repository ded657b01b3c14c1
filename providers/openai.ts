import type { Json, ModelEntry, ProviderPlugin } from "weir/plugin";

const SAMPLING = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
];
/** Chat completions search only with the models for it; the others search in Responses. */
const NO_SEARCH = ["web_search_options"];
const CHAT = {
  maxTokensName: "max_completion_tokens",
  jsonSchema: true,
  strictTools: true,
  rejects: NO_SEARCH,
} as const;
const THINKS = { ...CHAT, reasoning: "effort", rejects: [...SAMPLING, ...NO_SEARCH] } as const;
const SEES = ["text", "image", "file"] as const;

const ALL_EFFORTS: NonNullable<ModelEntry["efforts"]> = ["none", "low", "medium", "high", "xhigh", "max"];

/**
 * Facts of its own models. Reasoning models refuse sampling parameters; since GPT-5.4 only Responses accepts function tools
 * together with reasoning. Source: OpenAI's model pages and API reference.
 */
const MODELS: readonly ModelEntry[] = [
  {
    match: "gpt-3.5*",
    context: 16_385,
    maxOutput: 4_096,
    input: ["text"],
    reasoning: "none",
    jsonSchema: false,
    rejects: NO_SEARCH,
  },
  { match: "gpt-4*", ...CHAT, context: 128_000, maxOutput: 16_384, input: SEES, reasoning: "none" },
  { match: "gpt-4", context: 8_192, maxOutput: 8_192, input: ["text"], jsonSchema: false },
  { match: "gpt-4-0613", context: 8_192, maxOutput: 8_192, input: ["text"], jsonSchema: false },
  { match: "gpt-4-turbo*", maxOutput: 4_096, jsonSchema: false },
  { match: "gpt-4.1*", context: 1_047_576, maxOutput: 32_768 },
  { match: "gpt-4o*audio*", input: ["text", "audio"] },
  { match: "gpt-audio*", ...CHAT, context: 128_000, maxOutput: 16_384, input: ["text", "audio"], reasoning: "none" },
  ...["o1*", "o3*", "o4*"].map(
    (match): ModelEntry => ({
      match,
      ...THINKS,
      context: 200_000,
      maxOutput: 100_000,
      input: SEES,
      mustThink: true,
      efforts: ["low", "medium", "high"],
    }),
  ),
  { match: "o1-mini*", context: 128_000, maxOutput: 65_536, input: ["text"] },
  { match: "o3-mini*", input: ["text"] },
  {
    match: "gpt-5*",
    ...THINKS,
    context: 400_000,
    maxOutput: 128_000,
    input: SEES,
    mustThink: true,
    efforts: ["minimal", "low", "medium", "high"],
  },
  { match: "gpt-5.*", mustThink: false, efforts: ["none", "low", "medium", "high", "xhigh"] },
  { match: "gpt-5.1*", efforts: ["none", "low", "medium", "high"] },
  // Source: anomalyco/opencode#36141.
  ...["gpt-5.6*", "gpt-5.7*", "gpt-5.8*", "gpt-5.9*"].map((match): ModelEntry => ({ match, efforts: ALL_EFFORTS })),
  ...["gpt-5.4*", "gpt-5.5*", "gpt-5.6*", "gpt-5.7*", "gpt-5.8*", "gpt-5.9*"].map(
    (match): ModelEntry => ({ match, context: 1_050_000, toolsNeedResponses: true }),
  ),
  {
    match: "gpt-5*-chat*",
    reasoning: "none",
    mustThink: false,
    maxOutput: 16_384,
    rejects: NO_SEARCH,
    toolsNeedResponses: false,
  },
  {
    match: "gpt-6*",
    ...THINKS,
    context: 1_050_000,
    maxOutput: 128_000,
    input: SEES,
    efforts: ALL_EFFORTS,
    toolsNeedResponses: true,
  },
  ...["gpt-4o*search*", "gpt-5*search*"].map((match): ModelEntry => ({ match, rejects: [] })),
];

/** OpenAI. Nearly all other providers extend it: the end of a path determines the format. */
export default {
  apiVersion: 1,
  name: "OPENAI",
  hosts: ["api.openai.com", "*.api.openai.com"],
  target: "https://api.openai.com",
  dedicatedDomain: "openai",
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
  shapes: [
    { shape: "responses", countPath: () => "/v1/responses/input_tokens" },
    "chat-completions",
    "completions",
    "embeddings",
  ],
  auth: "bearer",
  credential: { secret: ["api_key"] },
  listModels: {
    path: "/models",
    read: (body) => (Array.isArray(body?.data) ? body.data.map((model: Json) => model?.id) : []),
  },
  models: MODELS,
} satisfies ProviderPlugin;
