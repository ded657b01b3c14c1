import { expect, test } from "bun:test";
import fc from "fast-check";
import { costOf } from "../../src/mapping/prices/cost.ts";
import { priceInForce } from "../../src/mapping/prices/in-force.ts";
import { assertProperty } from "../chance.ts";

const NOW = new Date("2026-10-01T12:00:00Z");
const gpt = { provider: "OPENAI", models: ["gpt-4o"] };

test("a price of one's own goes before a provider's rule, and that before the table", () => {
  const own = () => ({ price: { input: 7 }, source: "own price: OPENAI gpt-4o" });
  expect(priceInForce(gpt, own, "OPENAI", NOW)).toEqual({ source: "own price: OPENAI gpt-4o", price: { input: 7 } });
  expect(priceInForce(gpt, () => undefined, "OPENAI", NOW)).toEqual({ source: "plugin OPENAI", price: {} });
  const { source, price } = priceInForce(gpt, undefined, undefined, NOW);
  expect(source).toStartWith("genai-prices ");
  expect(price).toMatchObject({ input: 2.5, output: 10, cache_read: 1.25 });
});

test("if one name of a model has no price, the requested name is looked up", () => {
  const models = ["gpt-4o-2099-01-01-unheard-of", "gpt-4o"];
  expect(priceInForce({ provider: "OPENAI", models: models.slice(0, 1) }, undefined, undefined, NOW).source).toBeNull();
  expect(priceInForce({ provider: "OPENAI", models }, undefined, undefined, NOW).price.input).toBe(2.5);
});

test.each([
  ["a provider that no table has", { provider: "CUSTOM", models: ["gpt-4o"] }],
  ["an unknown model", { provider: "OPENAI", models: ["<script>"] }],
])("%s has no price, which is not 0", (_name, model) => {
  expect(priceInForce(model, undefined, undefined, NOW)).toEqual({ source: null, price: {} });
});

test("what is shown is what a request costs", () => {
  const priced = fc.constantFrom(
    gpt,
    { provider: "ANTHROPIC", models: ["claude-sonnet-4-5"] },
    { provider: "GOOGLE", models: ["gemini-2.5-flash"] },
    { provider: "GROQ", models: ["llama-3.3-70b-versatile"] },
  );
  const counts = fc.integer({ min: 0, max: 50_000 });
  assertProperty(
    fc.property(priced, counts, counts, ({ provider, models: [model] }, prompt_tokens, completion_tokens) => {
      const { price } = priceInForce({ provider, models: [model!] }, undefined, undefined, NOW);
      const { cost } = costOf({
        provider: { apiVersion: 1, name: provider },
        models: [model!],
        usage: { prompt_tokens, completion_tokens },
        statedCost: undefined,
        exchange: {} as never,
        at: NOW,
      });
      const expected = (prompt_tokens * price.input! + completion_tokens * price.output!) / 1e6;
      expect(cost!).toBeCloseTo(expected, 9);
    }),
  );
});
