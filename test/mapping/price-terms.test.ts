import { expect, test } from "bun:test";
import { costOf } from "../../src/mapping/prices/cost.ts";
import type { Usage } from "../../src/plugin-host/contract.ts";
import { input } from "./cost-input.ts";

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

test.each<[string, string, string, object, number, string]>([
  // (1,000 × 5 + 100 × 25) × 1.1
  [
    "US only",
    "ANTHROPIC",
    "claude-opus-4-6",
    { inference_geo: "us" },
    0.00825,
    "kept in a region: 1.1 of the standard rates",
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
  ["usage that names its model", "OPENAI", "gpt-5", { model: "gpt-5-2025" }, 0.00225, "gpt-5"],
  [
    "a chat that counts its searches",
    "COHERE",
    "command-a-03-2025",
    { billed_units: { input_tokens: 1000, output_tokens: 100, search_units: 1 } },
    0.0035,
    "command-a",
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
  const many = {
    iterations: Array.from({ length: 50_000 }, (_, at) => ({ model: `claude-opus-4-6-${at}`, input_tokens: 1 })),
  };
  expect(costOf(input("ANTHROPIC", "claude-sonnet-4-6", usage, { usageRaw: many })).cost).toBeNull();
});

// Dollars per million tokens, where the table has none or another than the provider asks.
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
  [
    "DeepSeek since V3.2",
    "DEEPSEEK",
    "deepseek-chat",
    { prompt_tokens: 1e6, completion_tokens: 1e6 },
    0.7,
    "2026-01-01T12:00:00Z",
  ],
  ["DeepSeek since V4", "DEEPSEEK", "deepseek-reasoner", { prompt_tokens: 1e6, completion_tokens: 1e6 }, 0.42],
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

test.each([
  ["us-east5-aiplatform.googleapis.com", "claude-sonnet-4-5@20250929", 0.00495],
  ["aiplatform.eu.rep.googleapis.com", "claude-opus-5", 0.00825],
  ["aiplatform.googleapis.com", "claude-sonnet-4-5@20250929", 0.0045],
  ["us-east5-aiplatform.googleapis.com", "claude-sonnet-4@20250514", 0.0045],
  ["us-east5-aiplatform.googleapis.com", "gemini-2.5-flash", 0.00055],
])("1,000 tokens in and 100 out at %s of %s cost %p", (host, model, dollars) => {
  const usage = { prompt_tokens: 1000, completion_tokens: 100 };
  const costInput = input("GOOGLE", model, usage);
  expect(costOf({ ...costInput, exchange: { ...costInput.exchange, host } }).cost).toBeCloseTo(dollars, 9);
});
