import { expect, test } from "bun:test";
import fc from "fast-check";
import { costOf } from "../../src/mapping/prices/cost.ts";
import { genaiPrices } from "../../src/mapping/prices/table.ts";
import type { Units } from "../../src/mapping/prices/units.ts";
import { assertProperty } from "../chance.ts";
import { input } from "./cost-input.ts";

const MODELS = [
  ["OPENAI", "gpt-4o-mini-2024-07-18"],
  ["OPENAI", "gpt-5"],
  ["OPENAI", "gpt-4.1"],
  ["ANTHROPIC", "claude-sonnet-4-5"],
  ["ANTHROPIC", "claude-3-5-haiku-latest"],
  ["GOOGLE", "gemini-2.5-pro"],
  ["GOOGLE", "gemini-2.5-flash"],
  ["GOOGLE", "gemini-2.5-flash-image"],
  ["OPENAI", "gpt-image-1.5"],
  ["DEEPSEEK", "deepseek-chat"],
  ["GROQ", "llama-3.3-70b-versatile"],
  ["PERPLEXITY", "sonar-pro"],
  ["MISTRAL", "mistral-large-latest"],
  ["X", "grok-4"],
] as const;

const plainUnits = fc
  .record({ read: fc.nat(400_000), write: fc.nat(400_000), rest: fc.nat(400_000), output: fc.nat(100_000) })
  .chain(({ read, write, rest, output }) =>
    fc.record(
      {
        input_tokens: fc.constant(read + write + rest),
        output_tokens: fc.constant(output),
        cache_read_tokens: fc.constant(read),
        cache_write_tokens: fc.constant(write),
        input_image_tokens: fc.constant(Math.floor(rest / 2)),
        input_audio_tokens: fc.constant(Math.floor(rest / 4)),
        output_image_tokens: fc.constant(Math.floor(output / 3)),
      },
      { requiredKeys: ["input_tokens", "output_tokens"] },
    ),
  );

test("a remembered price is to the last digit the one that the table gives, whatever the day and hour", () => {
  const time = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2026, 11, 1) });
  assertProperty(
    fc.property(fc.constantFrom(...MODELS), plainUnits, time, ([provider, model], units, ms) => {
      const at = new Date(ms);
      const looked = genaiPrices(provider, model, { ...units, web_searches: 0 }, at); // searches are never remembered
      genaiPrices(provider, model, { input_tokens: 1, output_tokens: 1 }, at); // from here on it is remembered
      const price = genaiPrices(provider, model, units, at);
      expect(price?.dollars).toBe(looked!.dollars);
    }),
    { numRuns: 1_500 },
  );
});

test("an hourly price is looked up each time", () => {
  const units = { input_tokens: 1_000_000, output_tokens: 0 };
  const at = (hour: string) => genaiPrices("DEEPSEEK", "deepseek-chat", units, new Date(`2025-03-03T${hour}:00Z`));
  expect(at("12:00")?.dollars).toBe(0.27);
  expect(at("20:00")?.dollars).toBe(0.135);
});

test("a model without a price stays without one, and gets none from another provider's", () => {
  const units = { input_tokens: 5, output_tokens: 5 };
  for (let time = 0; time < 2; time++) {
    expect(genaiPrices("GROQ", "gpt-5-nobody", units, new Date())).toBeUndefined();
    expect(genaiPrices("OPENAI", "gpt-4o-mini", units, new Date())?.dollars).toBeGreaterThan(0);
  }
});

test("a model has the price of its provider and of its day, in any order of look-ups", () => {
  const price = (provider: string, model: string, day: string) =>
    genaiPrices(provider, model, { input_tokens: 1_000_000, output_tokens: 0 }, new Date(`${day}T12:00:00Z`))?.dollars;
  for (let times = 0; times < 2; times++) {
    expect(price("DEEPSEEK", "deepseek-r1", "2026-02-03")).not.toBe(price("OPENAI", "deepseek-r1", "2026-02-03"));
    expect(price("OPENAI", "o3", "2026-02-03")).not.toBe(price("DEEPSEEK", "o3", "2026-02-03"));
    expect(price("OPENAI", "o3", "2025-06-01")).not.toBe(price("OPENAI", "o3", "2025-07-01"));
  }
});

test("what a model costs by the hour says nothing of its tokens, in any order of look-ups", () => {
  const at = new Date("2026-02-03T12:00:00Z");
  const tokens = () => genaiPrices("OPENAI", "whisper-1", { input_tokens: 5, output_tokens: 5 }, at);
  for (let times = 0; times < 2; times++) {
    expect(tokens()).toBeUndefined();
    expect(genaiPrices("OPENAI", "whisper-1", { audio_seconds: 3_600 }, at)?.dollars).toBeCloseTo(0.36, 10);
  }
});

test("no usage of a model, however odd, changes its price for the next request", () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 10 };
  const odd = fc.oneof(
    fc.constantFrom(-1, -0.5, 1e308, 1e15, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, 0.5),
    fc.double(),
    fc.nat(9_000),
  );
  const names = [
    ...(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "input_audio_tokens"] as const),
    ...(["output_image_tokens", "web_searches", "storage_searches", "rerank_searches", "audio_seconds"] as const),
  ];
  const units = fc.dictionary(fc.constantFrom(...names), odd) as fc.Arbitrary<Units>;
  const raw = fc.record(
    {
      billed_units: fc.record({ input_tokens: odd, output_tokens: odd, search_units: odd }, { requiredKeys: [] }),
      server_tool_use: fc.record({ web_search_requests: odd }),
      tool_usage: fc.record({ file_search: fc.record({ num_requests: odd }) }),
      type: fc.constant("duration"),
      seconds: odd,
    },
    { requiredKeys: [] },
  );
  const time = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2026, 11, 1) });
  const known = [...MODELS, ["COHERE", "command-a-03-2025"], ["COHERE", "rerank-v3.5"]] as const;
  assertProperty(
    fc.property(
      fc.constantFrom(...known),
      units,
      raw,
      time,
      fc.boolean(),
      ([provider, model], had, block, ms, first) => {
        const at = new Date(ms);
        const next = () => costOf(input(provider, model, usage, { at }));
        const before = first ? next() : undefined;
        genaiPrices(provider, model, had, at);
        const { cost } = costOf(input(provider, model, usage, { at, usageRaw: block }));
        if (cost !== null) expect(cost).toBeGreaterThanOrEqual(0);
        const after = next();
        if (before !== undefined) expect(after).toEqual(before);
        if (model !== "rerank-v3.5") expect(after.cost).toBeGreaterThan(0);
      },
    ),
    { numRuns: 1_000 },
  );
});
