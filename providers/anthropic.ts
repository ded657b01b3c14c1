import type { Json, ModelEntry, ProviderPlugin } from "weir/plugin";

const SAMPLING = ["temperature", "top_p", "top_k"];

/** Anthropic: its Messages API, the older text completions, and an OpenAI-compatible endpoint. */
export default {
  apiVersion: 1,
  name: "ANTHROPIC",
  aliases: ["claude"],
  hosts: ["api.anthropic.com", "*.api.anthropic.com"],
  target: "https://api.anthropic.com",
  dedicatedDomain: "anthropic",
  wireSchemas: [
    { path: /\/messages(?:\/count_tokens)?$/, schema: "messages" },
    { path: /\/complete$/, schema: "text-generation" },
    { path: /\/chat\/completions$/, schema: "chat-completions" },
  ],
  shapes: [{ shape: "messages", threads: true, countPath: () => "/v1/messages/count_tokens" }],
  headers: { "anthropic-version": "2023-06-01" },
  auth: "x-api-key",
  credential: { secret: ["api_key"] },
  listModels: {
    path: "/models?limit=1000",
    read: (body) => (Array.isArray(body?.data) ? body.data.map((model: Json) => model?.id) : []),
  },
  models: claudeModels(),
} satisfies ProviderPlugin;

/**
 * Facts of the models. Since Opus 4.6 the models decide themselves how much to think. Since Opus 4.7 they refuse sampling
 * parameters; other models since Opus 4.1 accept `temperature` or `top_p`, not both. Source: Anthropic's model overview, its
 * pages on extended and adaptive thinking, and its migration guide.
 */
function claudeModels(): ModelEntry[] {
  const entry = (match: string, facts: Omit<ModelEntry, "match">): ModelEntry => ({
    match: `claude-${match}`,
    ...facts,
  });
  return [
    entry("*", {
      context: 200_000,
      maxOutput: 64_000,
      input: ["text", "image", "file"],
      reasoning: "adaptive",
      jsonSchema: true,
      rejects: SAMPLING,
    }),
    entry("2*", { maxOutput: 4_096, input: ["text"], reasoning: "none", jsonSchema: false, rejects: [] }),
    entry("3-*", { maxOutput: 4_096, reasoning: "none", jsonSchema: false, rejects: [] }),
    entry("3-5-*", { maxOutput: 8_192 }),
    entry("3-7-*", { maxOutput: 64_000, reasoning: "budget" }),
    ...["sonnet-4*", "opus-4*", "haiku-4*"].map((match) =>
      entry(match, { reasoning: "budget", rejects: [], rejectsThinking: SAMPLING }),
    ),
    // The first models of the fourth generation have no structured output.
    entry("sonnet-4-2025*", { jsonSchema: false }),
    entry("sonnet-4-0*", { jsonSchema: false }),
    entry("opus-4-2025*", { maxOutput: 32_000, jsonSchema: false }),
    entry("opus-4-0*", { maxOutput: 32_000, jsonSchema: false }),
    entry("opus-4-1*", { maxOutput: 32_000 }),
    ...["opus-4-1*", "sonnet-4-5*", "opus-4-5*", "haiku-4-5*", "sonnet-4-6*", "opus-4-6*"].map((match) =>
      entry(match, { temperatureOrTopP: true }),
    ),
    entry("sonnet-4-6*", { reasoning: "adaptive" }),
    entry("opus-4-6*", { maxOutput: 128_000, reasoning: "adaptive" }),
    ...["opus-4-7*", "opus-4-8*", "opus-4-9*"].map((match) =>
      entry(match, { context: 1_000_000, maxOutput: 128_000, reasoning: "adaptive", rejects: SAMPLING }),
    ),
    entry("opus-5*", { context: 1_000_000, maxOutput: 128_000 }),
    entry("sonnet-5*", { context: 1_000_000, maxOutput: 128_000 }),
  ];
}
