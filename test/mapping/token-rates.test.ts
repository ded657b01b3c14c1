import { expect, test } from "bun:test";
import { pricedModels, tablePrice, tokenRates } from "../../src/mapping/prices/models.ts";

test("a model's listed prices are those of short requests", () => {
  const tiered: string[] = [];
  for (const provider of ["ANTHROPIC", "OPENAI", "GOOGLE"]) {
    for (const { id } of pricedModels(provider)) {
      const rates = tokenRates(provider, id);
      const [short, long] = [1, 1_000_000].map((tokens) => tablePrice(provider, id, tokens, 0));
      if (rates === undefined || short === undefined || long === undefined) continue;
      expect([id, rates.prompt]).toEqual([id, Number(short.toPrecision(12))]);
      expect([id, rates.completion]).toEqual([id, Number(tablePrice(provider, id, 0, 1)!.toPrecision(12))]);
      if (long > short * 1_000_001) tiered.push(id);
    }
  }
  expect(tiered).not.toEqual([]);
});

test("costs of a request beside its tokens are no part of their rate", () => {
  // Perplexity: 3 and 15 dollars per million tokens, and 14 per thousand requests.
  expect(tokenRates("PERPLEXITY", "sonar-pro")).toMatchObject({ prompt: 0.000003, completion: 0.000015 });
});
