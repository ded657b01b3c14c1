import { expect, test } from "bun:test";
import { costLines, type OwnPrice, totalOf } from "../../src/mapping/prices/own.ts";
import type { Usage } from "../../src/plugin-host/contract.ts";

const MILLION = 1_000_000;
const all: OwnPrice = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6, request: 0.5 };

test.each<[string, OwnPrice, Usage | undefined, number | undefined]>([
  ["input and output", { input: 3, output: 15 }, { prompt_tokens: MILLION, completion_tokens: MILLION }, 18],
  ["embeddings that say a total only", { input: 2 }, { total_tokens: MILLION }, 2],
  ["a cache read", all, { prompt_tokens: MILLION, prompt_cache_read_tokens: MILLION }, 0.8],
  ["a cache written for an hour", all, { ...written(MILLION), prompt_cache_write_1h_tokens: MILLION }, 6.5],
  ["a cache written in part for an hour", all, { ...written(MILLION), prompt_cache_write_1h_tokens: 400_000 }, 5.15],
  ["a part said to be larger than its whole", all, { ...written(MILLION), prompt_cache_write_1h_tokens: 9e9 }, 6.5],
  ["an hour without a price of its own", { input: 3, cache_write: 4 }, { ...written(MILLION), ...hour(MILLION) }, 4],
  ["a request, whatever it holds", { request: 0.5 }, undefined, 0.5],
  ["no usage", { input: 3, output: 15 }, undefined, undefined],
  ["parts alone, whose whole has no price", { cache_read: 1 }, { prompt_tokens: MILLION }, undefined],
])("a price of one's own for %s", (_name, price, usage, dollars) => {
  const lines = costLines(price, usage);
  if (dollars === undefined) expect(lines).toBeUndefined();
  else expect(totalOf(lines!)).toBeCloseTo(dollars, 12);
});

function written(tokens: number): Usage {
  return { prompt_tokens: tokens, completion_tokens: 0, prompt_cache_write_tokens: tokens };
}

function hour(tokens: number): Usage {
  return { prompt_cache_write_1h_tokens: tokens };
}
