import { expect, test } from "bun:test";
import anthropic from "../../providers/anthropic.ts";
import openai from "../../providers/openai.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import type { ProviderPlugin, Usage } from "../../src/plugin-host/contract.ts";
import { events, exchange } from "./exchange-input.ts";

test.each([-1, 0.5, 1e308, 1e13, Number.NaN, null, {}])(
  "a count of %p counts as not reported, from a response and from a provider's own reader",
  (count) => {
    const usage = { prompt_tokens: 12, completion_tokens: count, prompt_tokens_details: { cached_tokens: count } };
    const response = { object: "chat.completion", model: "m-1", choices: [], usage };
    const own = { prompt_tokens: 12, completion_tokens: count, prompt_cache_read_tokens: count } as Usage;
    for (const read of [{}, { readResponse: () => ({ usage: own }) }]) {
      const provider = { ...openai, ...read } as ProviderPlugin;
      expect(readExchange(exchange({ provider, requestBody: { model: "m" }, responseBody: response })).usage).toEqual({
        prompt_tokens: 12,
        total_tokens: 12,
      });
    }
  },
);

test.each([[null], [5], ["12"], [[1]]])("a usage of %p from a provider's own reader is none", (usage) => {
  const provider = { ...openai, readResponse: () => ({ usage }) } as object as ProviderPlugin;
  const response = { object: "chat.completion", choices: [] };
  expect(
    readExchange(exchange({ provider, requestBody: { model: "m" }, responseBody: response })).usage,
  ).toBeUndefined();
});

test.each<[string, unknown[], number | undefined]>([
  ["cut off after its start", [], undefined],
  [
    "cut off in its text",
    [{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } }],
    undefined,
  ],
  ["with a count that is none", [{ type: "message_delta", usage: { output_tokens: null } }], undefined],
  ["with its count", [{ type: "message_delta", usage: { output_tokens: 8 } }], 8],
  ["that ends without another count", [{ type: "message_delta", usage: {} }, { type: "message_stop" }], 1],
])(
  "the output count of an Anthropic stream's first event counts only if nothing else can come: %s",
  (_name, more, output) => {
    const message = { type: "message", role: "assistant", model: "m-1", content: [] };
    const start = { type: "message_start", message: { ...message, usage: { input_tokens: 5, output_tokens: 1 } } };
    const given = { path: "/v1/messages", requestBody: { model: "m", max_tokens: 9 }, events: events(start, ...more) };
    const { usage } = readExchange(exchange({ ...given, provider: anthropic }));
    expect([usage?.prompt_tokens, usage?.completion_tokens]).toEqual([5, output]);
  },
);

test("a total is never below a count that is a part of it", () => {
  const usage = { completion_tokens: 9, total_tokens: 4 };
  const responseBody = { object: "chat.completion", choices: [], usage };
  expect(readExchange(exchange({ requestBody: { model: "m" }, responseBody })).usage?.total_tokens).toBe(9);
});

test.each<[object, number | undefined]>([
  [{ cost: 0.5 }, 0.5],
  [{ cost: { currency: "USD", total_cost: 0.5 } }, 0.5],
  [{ cost: { currency: "EUR", total_cost: 0.5 } }, undefined],
  [{ cost: 3.5, currency: "cny" }, undefined],
  [{ cost: 3.5, currency: "usd" }, 3.5],
])("a cost that a provider states counts in US dollars only: %j", (stated, cost) => {
  const response = { object: "chat.completion", choices: [], usage: { prompt_tokens: 1, ...stated } };
  expect(readExchange(exchange({ requestBody: { model: "m" }, responseBody: response })).cost).toBe(cost);
});
