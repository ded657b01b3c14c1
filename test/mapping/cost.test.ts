import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { findProvider } from "@pydantic/genai-prices";
import { type CostInput, costOf } from "../../src/mapping/prices/cost.ts";
import { genaiPrices, genaiRates, TABLE_NAMES, TABLE_VERSION } from "../../src/mapping/prices/table.ts";
import { geminiUsage, openAiUsage } from "../../src/mapping/usage.ts";
import type { Usage } from "../../src/plugin-host/contract.ts";
import { input, provider } from "./cost-input.ts";

// Dollars per million tokens, from the providers' price pages; the sums are worked out by hand.
test.each<[string, string, string, Usage, number]>([
  // 1,000 × 2.50 + 100 × 10
  ["input and output", "OPENAI", "gpt-4o-2024-08-06", { prompt_tokens: 1000, completion_tokens: 100 }, 0.0035],
  // 600 × 2.50 + 400 × 1.25 + 100 × 10
  [
    "a part of the input from the cache",
    "OPENAI",
    "gpt-4o",
    { prompt_tokens: 1000, completion_tokens: 100, prompt_cache_read_tokens: 400 },
    0.003,
  ],
  // Opus 4.6: 5,000 × 5 + 10,000 × 0.50 + 5,000 × 6.25 + 0 × 25
  [
    "a write to the cache for five minutes",
    "ANTHROPIC",
    "claude-opus-4-6",
    { prompt_tokens: 20_000, completion_tokens: 0, prompt_cache_read_tokens: 10_000, prompt_cache_write_tokens: 5000 },
    0.06125,
  ],
  // Opus 4.6: 1,000 × 5 + 2,000 × 6.25 + 3,000 × 10 + 100 × 25
  [
    "a write for an hour beside one for five minutes",
    "ANTHROPIC",
    "claude-opus-4-6",
    {
      prompt_tokens: 6000,
      completion_tokens: 100,
      prompt_cache_write_tokens: 5000,
      prompt_cache_write_1h_tokens: 3000,
    },
    0.05,
  ],
  // 500 × 2.50 + 500 × 32 + 5 × 10 + 5 × 64
  [
    "sound in and out",
    "OPENAI",
    "gpt-audio",
    { prompt_tokens: 1000, prompt_audio_tokens: 500, completion_tokens: 10, completion_audio_tokens: 5 },
    0.01762,
  ],
  // above 200,000 tokens: 300,000 × 2.50 + 10 × 15
  ["a long context", "GOOGLE", "gemini-2.5-pro", { prompt_tokens: 300_000, completion_tokens: 10 }, 0.75015],
  [
    "a model of another maker on Vertex",
    "GOOGLE",
    "claude-sonnet-4-5@20250929",
    { prompt_tokens: 1000, completion_tokens: 100 },
    0.0045,
  ],
  [
    "a regional name on Bedrock",
    "AWS",
    "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
    { prompt_tokens: 1000, completion_tokens: 100 },
    0.0045,
  ],
  [
    "a deployment that writes the model with an underscore",
    "AZURE",
    "gpt-5.2_2025-12-11",
    { prompt_tokens: 1000, completion_tokens: 100 },
    0.00315,
  ],
  [
    "embeddings, which have no output",
    "OPENAI",
    "text-embedding-3-small",
    { prompt_tokens: 1000, total_tokens: 1000 },
    0.00002,
  ],
  ["embeddings that say a total only", "VOYAGE", "voyage-3.5", { total_tokens: 1_000_000 }, 0.06],
])("the price of %s", (_name, from, model, usage, dollars) => {
  const { cost, source } = costOf(input(from, model, usage));
  expect(cost).toBeCloseTo(dollars, 10);
  expect(source).toMatch(/^genai-prices \d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\): [a-z-]+\/.+/);
});

test.each<[string, CostInput]>([
  ["a model that no table has", input("OPENAI", "no-such-model", { prompt_tokens: 1, completion_tokens: 1 })],
  ["a provider that no table has", input("CHUTES", "gpt-4o", { prompt_tokens: 1, completion_tokens: 1 })],
  ["a target that nobody knows", input("OPENAI", "gpt-4o", { prompt_tokens: 1 }, { provider: undefined })],
  ["no usage", input("OPENAI", "gpt-4o", undefined)],
  ["output of unknown input", input("OPENAI", "gpt-4o", { completion_tokens: 5 })],
  ["no model", input("OPENAI", "", { prompt_tokens: 1 })],
  ["an absurd statement", input("OPENROUTER", "no-such-model", { prompt_tokens: 1 }, { statedCost: 1e308 })],
  ["tokens of a model that is paid by the hour", input("MISTRAL", "voxtral-mini-2602", { prompt_tokens: 9 })],
  ["a statement below 0", input("DEEPINFRA", "no-such-model", { prompt_tokens: 1 }, { statedCost: -1 })],
  [
    "seconds of a model that is paid by tokens",
    input("OPENAI", "gpt-4o", undefined, { usageRaw: { type: "duration", seconds: 5 } }),
  ],
  [
    "searches of a model that is paid by tokens",
    input("COHERE", "command-a-03-2025", undefined, { usageRaw: { billed_units: { search_units: 1 } } }),
  ],
])("the cost of %s is unknown, not 0", (_name, unknown) => {
  expect(costOf(unknown)).toEqual({ cost: null, source: null });
});

test("a plugin's own rule comes first, then what the provider states, then the table", () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 100 };
  const cost = (per: number | null) => provider("OPENAI", { cost: () => per });
  const all = (members: Partial<CostInput>) => costOf(input("OPENAI", "gpt-4o", usage, { statedCost: 7, ...members }));
  expect(all({ provider: cost(2) })).toEqual({ cost: 2, source: "plugin OPENAI" });
  expect(all({ provider: cost(null) })).toEqual({ cost: 7, source: "stated by the provider" });
  expect(all({ provider: cost(Number.NaN), statedCost: undefined }).cost).toBeCloseTo(0.0035, 10);
});

test("a cost over a million dollars is unknown, by whatever price; a provider's statement of it counts as none", () => {
  const usage = { prompt_tokens: 1e12, completion_tokens: 1 };
  const few = { prompt_tokens: 1000, completion_tokens: 100 };
  const unknown = { cost: null, source: null };
  expect(costOf(input("OPENAI", "gpt-4o", usage))).toEqual(unknown);
  const price = { input: 1_000_000, output: 0 };
  const ownPrice = () => ({ price, source: "own price: OPENAI gpt-4o" });
  expect(costOf(input("OPENAI", "gpt-4o", { ...few, prompt_tokens: 1e6 }, { ownPrice })).cost).toBe(1e6);
  expect(costOf(input("OPENAI", "gpt-4o", { ...few, prompt_tokens: 1e6 + 1 }, { ownPrice }))).toEqual(unknown);
  const ruled = (cost: number) =>
    input("OPENAI", "gpt-4o", few, { provider: provider("OPENAI", { cost: () => cost }) });
  expect(costOf(ruled(1e298))).toEqual(unknown);
  for (const statedCost of [1e6 + 1, -1, "7" as unknown as number])
    expect(costOf(input("OPENAI", "gpt-4o", few, { statedCost })).cost).toBe(0.0035);
});

test("a rule that throws loses no record", () => {
  const rude = provider("RUDE", {
    cost: () => {
      throw new Error("no");
    },
  });
  expect(costOf(input("RUDE", "m", { prompt_tokens: 1 }, { provider: rude }))).toEqual({ cost: null, source: null });
});

test("searches, seconds and billed units are paid for as such", () => {
  const search = { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } };
  const usage = { prompt_tokens: 1000, completion_tokens: 100 };
  // 1,000 × 5 + 100 × 25 + 2 searches at 10 a thousand
  expect(costOf(input("ANTHROPIC", "claude-opus-4-6", usage, { usageRaw: search })).cost).toBeCloseTo(0.0275, 10);
  // 0.006 a minute
  const seconds = { type: "duration", seconds: 90 };
  expect(costOf(input("OPENAI", "whisper-1", undefined, { usageRaw: seconds })).cost).toBeCloseTo(0.009, 10);
  // 3 searches at 2 a thousand, and 1,000,000 tokens at 0.05
  const ranked = { billed_units: { search_units: 3 } };
  expect(costOf(input("COHERE", "rerank-v3.5", undefined, { usageRaw: ranked })).cost).toBeCloseTo(0.006, 10);
  expect(costOf(input("VOYAGE", "rerank-2.5", { total_tokens: 1_000_000 })).cost).toBeCloseTo(0.05, 10);
  // Cohere bills 7 and 21 tokens of 502 and 24: 7 × 2.50 + 21 × 10
  const billed = {
    billed_units: { input_tokens: 7, output_tokens: 21 },
    tokens: { input_tokens: 502, output_tokens: 24 },
  };
  const cohere = input(
    "COHERE",
    "command-a-03-2025",
    { prompt_tokens: 502, completion_tokens: 24 },
    { usageRaw: billed },
  );
  expect(costOf(cohere).cost).toBeCloseTo(0.0002275, 10);
});

// As if the provider had not reported them: 1,000 × 2.50 + 100 × 10.
test.each([-1, 0.5, -0.5, 1e308, 1e13, Number.NaN, Number.POSITIVE_INFINITY, null])(
  "%p billed tokens, searches or seconds count as not reported",
  (count) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100 };
    const billed_units = { input_tokens: count, output_tokens: count, search_units: count };
    const raw = { billed_units, server_tool_use: { web_search_requests: count }, type: "duration", seconds: -1 };
    const cohere = input("COHERE", "command-a-03-2025", usage, { usageRaw: raw });
    expect(costOf(cohere).cost).toBe(0.0035);
    const tool_usage = { file_search: { num_requests: count }, web_search: { num_requests: count } };
    expect(costOf(input("OPENAI", "gpt-4o", usage, { usageRaw: { tool_usage } })).cost).toBe(0.0035);
  },
);

test("only Cohere's billed units are charged in place of tokens", () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 100 };
  const usageRaw = { billed_units: { input_tokens: 1, output_tokens: 1 } };
  expect(costOf(input("OPENAI", "gpt-4o", usage, { usageRaw })).cost).toBe(0.0035);
});

test("a price that depends on the hour is taken at the hour of the request", () => {
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 };
  const at = (time: string) => costOf(input("DEEPSEEK", "deepseek-chat", usage, { at: new Date(time) })).cost;
  expect(at("2025-06-01T10:00:00Z")).toBeCloseTo(1.37, 10);
  expect(at("2025-06-01T18:00:00Z")).toBeCloseTo(0.685, 10);
});

test("counts at odds with one another are priced without their parts", () => {
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 0,
    prompt_cache_read_tokens: 9000,
    prompt_audio_tokens: 9000,
  };
  expect(costOf(input("OPENAI", "gpt-4o", usage)).cost).toBeGreaterThan(0);
});

test("the table's version is the one that is installed", () => {
  const manifest = JSON.parse(readFileSync("node_modules/@pydantic/genai-prices/package.json", "utf8"));
  expect(manifest.version).toBe(TABLE_VERSION);
  expect(genaiPrices("OPENAI", "gpt-4o", { input_tokens: 1 }, new Date())?.entry).toContain(TABLE_VERSION);
});

test.each(Object.entries(TABLE_NAMES))("the prices of %s are found under %s", (_provider, providerId) => {
  expect(findProvider({ providerId })?.id).toBe(providerId);
});

test("the arithmetic of a cost shows rates as they were published, without the noise of a division", () => {
  const units = { input_tokens: 7, output_tokens: 3 };
  const found = genaiRates("OPENAI", "gpt-4o-mini", units, new Date("2026-06-01T12:00:00Z"));
  expect(found?.lines.map(({ perMillion }) => perMillion)).toEqual([0.15, 0.6]);
  const searched = genaiRates("OPENAI", "gpt-5", { ...units, web_searches: 3 }, new Date("2026-06-01T12:00:00Z"));
  expect(searched?.lines.at(-1)).toMatchObject({ what: "searches and requests", count: 3, perMillion: 10_000 });
});

/** 1,000 tokens of input, 600 of them audio; 500 are from the cache, 450 of them audio. */
const GEMINI = {
  promptTokenCount: 1000,
  cachedContentTokenCount: 500,
  promptTokensDetails: [
    { modality: "AUDIO", tokenCount: 600 },
    { modality: "TEXT", tokenCount: 400 },
  ],
  cacheTokensDetails: [
    { modality: "AUDIO", tokenCount: 450 },
    { modality: "TEXT", tokenCount: 50 },
  ],
};
const OPENAI = {
  input_tokens: 1000,
  output_tokens: 0,
  input_token_details: {
    audio_tokens: 600,
    cached_tokens: 500,
    cached_tokens_details: { audio_tokens: 450, text_tokens: 50 },
  },
};

test.each([
  // 350 × 0.30 + 50 × 0.03 + 150 × 1 + 450 × 0.10
  ["Gemini", "GOOGLE", "gemini-2.5-flash", geminiUsage(GEMINI), GEMINI, 0.0003015],
  // 350 × 4 + 50 × 0.40 + 150 × 32 + 450 × 0.40
  ["OpenAI", "OPENAI", "gpt-realtime", openAiUsage(OPENAI), OPENAI, 0.0064],
] as const)(
  "audio that was cached costs what cached audio costs, as %s reports it",
  (_what, name, model, usage, raw, cost) => {
    expect(costOf(input(name, model, usage, { usageRaw: raw })).cost).toBe(cost);
  },
);
