import { expect, test } from "bun:test";
import fc from "fast-check";
import { explainCost, type Priced } from "../../src/mapping/prices/explain.ts";
import { totalOf } from "../../src/mapping/prices/own.ts";
import { genaiPrices, genaiRates } from "../../src/mapping/prices/table.ts";
import type { Units } from "../../src/mapping/prices/units.ts";
import { assertProperty } from "../chance.ts";

const AT = new Date("2026-06-01T12:00:00Z");

// Dollars per million tokens, from the providers' price pages.
test.each<[string, string, string, Units, readonly (readonly [string, number, number])[]]>([
  [
    "cache reads and both kinds of writes",
    "ANTHROPIC",
    "claude-sonnet-4-5",
    {
      input_tokens: 1920,
      cache_read_tokens: 1200,
      cache_write_tokens: 300,
      cache_write_1h_tokens: 100,
      output_tokens: 50,
    },
    [
      ["input tokens", 420, 3],
      ["cached input tokens", 1200, 0.3],
      ["input tokens written to a cache", 200, 3.75],
      ["input tokens written to a cache for an hour", 100, 6],
      ["output tokens", 50, 15],
    ],
  ],
  [
    "sound in and out",
    "OPENAI",
    "gpt-audio",
    { input_tokens: 1000, input_audio_tokens: 500, output_tokens: 10, output_audio_tokens: 5 },
    [
      ["input tokens", 500, 2.5],
      ["input audio tokens", 500, 32],
      ["output tokens", 5, 10],
      ["output audio tokens", 5, 64],
    ],
  ],
  [
    "a long context",
    "GOOGLE",
    "gemini-2.5-pro",
    { input_tokens: 300_000, output_tokens: 10 },
    [
      ["input tokens", 300_000, 2.5],
      ["output tokens", 10, 15],
    ],
  ],
])("each kind of token has a line at its own rate: %s", (_name, provider, model, units, lines) => {
  const found = genaiRates(provider, model, units, AT)!;
  expect(found.lines.map(({ what, count, perMillion }) => [what, count, perMillion] as const)).toEqual([...lines]);
});

const MODELS = [
  ["ANTHROPIC", "claude-sonnet-4-5"],
  ["ANTHROPIC", "claude-3-5-haiku-20241022"],
  ["AWS", "us.anthropic.claude-3-7-sonnet-20250219-v1:0"],
  ["OPENAI", "gpt-4o"],
  ["OPENAI", "gpt-5"],
  ["OPENAI", "gpt-audio"],
  ["OPENAI", "gpt-image-1"],
  ["GOOGLE", "gemini-2.5-pro"],
  ["GOOGLE", "gemini-2.5-flash"],
  ["DEEPSEEK", "deepseek-chat"],
] as const;

/** Counts that can be: parts are no larger than what they are parts of. */
const anyUnits = fc
  .record({
    text: fc.nat(300_000),
    read: fc.nat(5_000),
    write: fc.nat(5_000),
    hour: fc.nat(5_000),
    audio: fc.nat(5_000),
    image: fc.nat(5_000),
    output: fc.nat(5_000),
    spoken: fc.nat(5_000),
  })
  .map(
    ({ text, read, write, hour, audio, image, output, spoken }): Units => ({
      input_tokens: text + read + write + hour + audio + image,
      cache_read_tokens: read,
      cache_write_tokens: write + hour,
      cache_write_1h_tokens: hour,
      input_audio_tokens: audio,
      input_image_tokens: image,
      output_tokens: output + spoken,
      output_audio_tokens: spoken,
    }),
  );

test("the lines add up to the cost, whatever was used", () => {
  assertProperty(
    fc.property(fc.constantFrom(...MODELS), anyUnits, ([provider, model], units) => {
      const price = genaiPrices(provider, model, units, AT)!;
      const { lines } = genaiRates(provider, model, units, AT)!;
      expect(Math.abs(totalOf(lines) - price.dollars)).toBeLessThanOrEqual(price.dollars * 1e-9);
      expect(lines.some(({ what }) => what.endsWith("all parts"))).toBe(false);
      for (const { count, perMillion, dollars } of lines) expect(dollars).toBeCloseTo((count * perMillion) / 1e6, 9);
    }),
  );
});

test("reasoning has a line of its own, at the rate of output", () => {
  const row = { ...NO_ROW, prompt_tokens: 1000, completion_tokens: 500, reasoning_tokens: 400, cost: 0.0075 };
  const { lines, note } = explainCost({ ...row, cost_source: "genai-prices" }, undefined);
  expect(lines).toEqual([
    { what: "input tokens", count: 1000, perMillion: 2.5, dollars: 0.0025 },
    { what: "output tokens", count: 100, perMillion: 10, dollars: 0.001 },
    { what: "reasoning tokens", count: 400, perMillion: 10, dollars: 0.004 },
  ]);
  expect(note).toBe("the lines add up to the cost");
});

test.each<[string, Partial<Priced>, string]>([
  [
    "over the maximum by the table",
    { prompt_tokens: 1e12, completion_tokens: 0 },
    "the usage costs 2500000 US dollars; a cost over 1000000 is not plausible and counts as unknown",
  ],
  [
    "over the maximum as stated",
    { provider: "CUSTOM", usage_raw: '{"cost":1e298}' },
    "the provider states 1e+298 US dollars; a cost over 1000000 is not plausible and counts as unknown",
  ],
  ["without a price", { provider: "CUSTOM", prompt_tokens: 1 }, "no price is known for CUSTOM gpt-4o; one of your own"],
  ["without usage", {}, "no usage is known"],
  ["whose price became known", { prompt_tokens: 1000, completion_tokens: 0 }, "today's prices give 0.0025"],
  ["that a plugin set", { cost: 3, cost_source: "set by a plugin" }, "a plugin's `onRecord` set this cost"],
  ["that was imported without its source", { cost: 3 }, "the cost was recorded without its source"],
])("a cost without arithmetic is explained: %s", (_name, columns, note) => {
  expect(explainCost({ ...NO_ROW, ...columns }, undefined).note).toStartWith(note);
});

test("a price of one's own explains no failed request", () => {
  const ownPrice = () => ({ price: { request: 1 }, source: "own price: OPENAI gpt-4o" });
  const explained = (response_status: number) => explainCost({ ...NO_ROW, response_status }, ownPrice).note;
  expect(explained(200)).toStartWith("today's prices give 1;");
  expect(explained(500)).toBe("a failed request has no usage that could be priced");
});

test("a cost over the maximum by a price of one's own is explained", () => {
  const ownPrice = () => ({ price: { request: 2_000_000 }, source: "own price: OPENAI gpt-4o" });
  expect(explainCost({ ...NO_ROW, prompt_tokens: 1 }, ownPrice).note).toStartWith("the usage costs 2000000 US dollars");
});

const NO_ROW: Priced = {
  provider: "OPENAI",
  model: "gpt-4o",
  model_override: null,
  response_model: "gpt-4o",
  request_model: "gpt-4o",
  routed_model: null,
  request_created_at: AT.getTime(),
  response_status: 200,
  target_url: "https://api.openai.com/v1/chat/completions",
  usage_raw: null,
  cost: null,
  cost_source: null,
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  prompt_cache_read_tokens: null,
  prompt_cache_write_tokens: null,
  prompt_cache_write_1h_tokens: null,
  prompt_audio_tokens: null,
  completion_audio_tokens: null,
  reasoning_tokens: null,
};
