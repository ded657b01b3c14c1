import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { findProvider } from "@pydantic/genai-prices";
import { type CostInput, costOf } from "../../src/mapping/prices/cost.ts";
import { genaiPrices, genaiRates, TABLE_NAMES, TABLE_VERSION } from "../../src/mapping/prices/table.ts";
import type { ProviderPlugin, Usage } from "../../src/plugin/contract.ts";

const provider = (name: string, members: Partial<ProviderPlugin> = {}): ProviderPlugin => ({
  apiVersion: 1,
  name,
  ...members,
});
const input = (name: string, model: string, usage: Usage | undefined, members: Partial<CostInput> = {}): CostInput => ({
  provider: provider(name),
  models: [model],
  usage,
  statedCost: undefined,
  exchange: {
    method: "POST",
    path: "/",
    host: "127.0.0.1",
    requestHeaders: new Headers(),
    requestBody: undefined,
    status: 200,
    responseHeaders: new Headers(),
  },
  at: new Date("2026-06-01T12:00:00Z"),
  ...members,
});

test.each([
  ["OPENAI", "gpt-5", undefined, 0.00225, ""],
  ["OPENAI", "gpt-5", "default", 0.00225, ""],
  ["OPENAI", "gpt-5", "flex", 0.001125, ", tier flex: 0.5 of the standard rates"],
  ["OPENAI", "gpt-5", "priority", 0.00225, ", at standard rates although the tier was priority"],
  ["ANTHROPIC", "claude-opus-4-6", "batch", 0.00375, ", tier batch: 0.5 of the standard rates"],
  ["ANTHROPIC", "claude-opus-4-6", "standard", 0.0075, ""],
  ["GOOGLE", "gemini-2.5-flash", "FLEX", 0.000275, ", tier flex: 0.5 of the standard rates"],
  ["GROQ", "llama-3.3-70b-versatile", "__proto__", 0.000669, ", at standard rates although the tier was __proto__"],
] as const)(
  "%s %s at the tier %p costs what is published, or says that it is standard",
  (name, model, tier, cost, note) => {
    const usageRaw = tier === undefined ? {} : { service_tier: tier };
    const priced = costOf(input(name, model, { prompt_tokens: 1000, completion_tokens: 100 }, { usageRaw }));
    expect(priced.cost).toBeCloseTo(cost, 9);
    expect(priced.source).toEndWith(`/${priced.source?.split("/")[1]?.split(",")[0]}${note}`);
  },
);

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

test("a rule that throws costs nobody the record", () => {
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

test.each<[string, string, string, object, number, string]>([
  // (1,000 × 5 + 100 × 25) × 1.1
  [
    "US only",
    "ANTHROPIC",
    "claude-opus-4-6",
    { inference_geo: "us" },
    0.00825,
    "kept in the US: 1.1 of the standard rates",
  ],
  [
    "anywhere",
    "ANTHROPIC",
    "claude-opus-4-6",
    { inference_geo: "global", speed: "standard" },
    0.0075,
    "claude-opus-4-6",
  ],
  ["fast", "ANTHROPIC", "claude-opus-4-6", { speed: "fast" }, 0.0075, "at standard rates although the speed was fast"],
  // (1,000 × 5 + 100 × 25) / 2, and 2 searches at 10 a thousand, which cost the same
  [
    "a batch with searches",
    "ANTHROPIC",
    "claude-opus-4-6",
    { service_tier: "batch", server_tool_use: { web_search_requests: 2 } },
    0.02375,
    "tier batch: 0.5 of the standard rates",
  ],
  // 1,000 × 0.3 + 100 × 2.5, and half
  [
    "Vertex at ease",
    "GOOGLE",
    "gemini-2.5-flash",
    { trafficType: "ON_DEMAND_FLEX" },
    0.000275,
    "tier flex: 0.5 of the standard rates",
  ],
  [
    "Gemini as usual",
    "GOOGLE",
    "gemini-2.5-flash",
    { serviceTier: "standard", trafficType: "ON_DEMAND" },
    0.00055,
    "gemini-2.5-flash",
  ],
  // 1,000 × 1.25 + 100 × 10, 3 searches at 10 and 2 of files at 2.5 a thousand
  [
    "searches of the web and of files",
    "OPENAI",
    "gpt-5",
    { tool_usage: { web_search: { num_requests: 3 }, file_search: { num_requests: 2 } } },
    0.03725,
    "gpt-5",
  ],
  [
    "searches that nobody prices",
    "GROQ",
    "llama-3.3-70b-versatile",
    { tool_usage: { web_search: { num_requests: 3 } } },
    0.000669,
    "searches not included",
  ],
  [
    "a tool's pictures",
    "OPENAI",
    "gpt-5",
    { tool_usage: { image_gen: { total_tokens: 9 } } },
    0.00225,
    "without the pictures that a tool made",
  ],
])("%s: 1,000 tokens in and 100 out", (_name, from, model, usageRaw, dollars, source) => {
  const priced = costOf(input(from, model, { prompt_tokens: 1000, completion_tokens: 100 }, { usageRaw }));
  expect(priced.cost).toBeCloseTo(dollars, 10);
  expect(priced.source).toEndWith(source);
});

test.each<[string, string, string, Usage, object, number]>([
  // 10 × 0.3 + 1,290 × 30
  [
    "Gemini draws",
    "GOOGLE",
    "gemini-2.5-flash-image",
    { prompt_tokens: 10, completion_tokens: 1290 },
    { candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1290 }] },
    0.038703,
  ],
  // 50 × 5 + 400 × 8 + 200 × 10 + 1,000 × 32
  [
    "GPT Image draws after a picture, and writes",
    "OPENAI",
    "gpt-image-1.5",
    { prompt_tokens: 450, completion_tokens: 1200 },
    {
      input_tokens_details: { text_tokens: 50, image_tokens: 400 },
      output_tokens_details: { text_tokens: 200, image_tokens: 1000 },
    },
    0.03745,
  ],
  // 1,000 × 0.3: pictures cost what text costs
  [
    "Gemini sees",
    "GOOGLE",
    "gemini-2.5-flash",
    { prompt_tokens: 1000, completion_tokens: 0 },
    {
      promptTokensDetails: [
        { modality: "IMAGE", tokenCount: 900 },
        { modality: "TEXT", tokenCount: 100 },
      ],
    },
    0.0003,
  ],
])("pictures have prices of their own where %s", (_name, from, model, usage, usageRaw, dollars) => {
  expect(costOf(input(from, model, usage, { usageRaw })).cost).toBeCloseTo(dollars, 10);
});

test("what several models did is priced by the model that did it", () => {
  const usageRaw = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_creation_input_tokens: 200,
    cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 50 },
    server_tool_use: { web_search_requests: 1 },
    iterations: [
      { type: "message", input_tokens: 400, output_tokens: 40 },
      { type: "advisor_message", model: "claude-opus-4-6", input_tokens: 800, output_tokens: 160 },
      { type: "message", input_tokens: 600, output_tokens: 60, cache_creation_input_tokens: 200 },
    ],
  };
  const usage = { prompt_tokens: 2000, completion_tokens: 260, prompt_cache_write_tokens: 200 };
  // 1,000 × 3 + 150 × 3.75 + 50 × 6 + 100 × 15, a search for 0.01, and 800 × 5 + 160 × 25
  const { cost, source } = costOf(input("ANTHROPIC", "claude-sonnet-4-6", usage, { usageRaw }));
  expect(cost).toBeCloseTo(0.0233625, 10);
  expect(source).toMatch(/claude-sonnet-4-6 and .*claude-opus-4-6$/);
  const unknown = { ...usageRaw, iterations: [{ input_tokens: 1 }, { model: "claude-unheard-of", input_tokens: 1 }] };
  expect(costOf(input("ANTHROPIC", "claude-sonnet-4-6", usage, { usageRaw: unknown })).cost).toBeNull();
});

// Dollars per million tokens, from the providers' price pages, where the table has none or another.
test.each<[string, string, string, Usage, number, string?]>([
  ["sound asked", "OPENAI", "gpt-4o-audio-preview", { prompt_tokens: 1e6, prompt_audio_tokens: 1e6 }, 40],
  [
    "sound answered",
    "OPENAI",
    "gpt-4o-mini-audio-preview-2024-12-17",
    { prompt_tokens: 0, completion_tokens: 1e6, completion_audio_tokens: 1e6 },
    20,
  ],
  ["the second Titan", "AWS", "amazon.titan-embed-text-v2:0", { prompt_tokens: 1e6 }, 0.02],
  ["the small Flash", "GOOGLE", "gemini-1.5-flash-8b-001", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 0.375],
  ["an experiment", "GOOGLE", "gemini-2.0-flash-exp", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 0],
  ["the first Gemini", "GOOGLE", "gemini-1.0-pro-002", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 2],
  ["DeepSeek on Azure", "AZURE", "DeepSeek-R1", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 6.75],
  ["Phi on Azure", "AZURE", "phi-4", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 0.625],
  ["the newest Mistral Large", "MISTRAL", "mistral-large-latest", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 2],
  [
    "Mistral Large before",
    "MISTRAL",
    "mistral-large-latest",
    { prompt_tokens: 1e6, completion_tokens: 1e6 },
    8,
    "2025-06-01T12:00:00Z",
  ],
  ["DeepSeek since V3.2", "DEEPSEEK", "deepseek-chat", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 0.7],
  ["a long prompt", "ANTHROPIC", "claude-sonnet-4-20250514", { prompt_tokens: 200_001 }, 1.200006],
  ["a short one", "ANTHROPIC", "claude-sonnet-4-20250514", { prompt_tokens: 200_000 }, 0.6],
  [
    "a write for an hour on Bedrock",
    "AWS",
    "us.anthropic.claude-opus-4-5-20251101-v1:0",
    { prompt_tokens: 1e6, prompt_cache_write_tokens: 1e6, prompt_cache_write_1h_tokens: 500_000 },
    8.9375, // half at 6.875, half at 11
  ],
])("%s costs what is published", (_name, from, model, usage, dollars, at = "2026-06-01T12:00:00Z") => {
  expect(costOf(input(from, model, usage, { at: new Date(at) })).cost).toBeCloseTo(dollars, 9);
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
