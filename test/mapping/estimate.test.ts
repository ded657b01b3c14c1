import { expect, test } from "bun:test";
import { withEstimate } from "../../src/mapping/estimate.ts";
import { type ExchangeInput, readExchange } from "../../src/mapping/read-exchange.ts";
import type { Mapping } from "../../src/record/mapping-schema.ts";
import { cpuMsOf } from "../cpu-time.ts";

const SAID = "Hello! How can I help you today?";

function stream(model: string, content: string, members: Partial<ExchangeInput> = {}): ExchangeInput {
  return {
    method: "POST",
    path: "/v1/chat/completions",
    host: "127.0.0.1",
    requestHeaders: new Headers(),
    requestBody: { model, messages: [{ role: "user", content }], stream: true },
    status: 200,
    responseHeaders: new Headers(),
    provider: undefined,
    responseBody: undefined,
    events: [{ data: { object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: SAID } }] } }],
    modelOverride: undefined,
    ...members,
  };
}
const estimated = (input: ExchangeInput) => withEstimate(input, readExchange(input));

test("a stream of a model with a known tokenizer gets a guess, and says that it is one", async () => {
  // "Say hello" is 2 tokens, a message's frame 3, the response's frame 3; the response's text is 9.
  expect(await estimated(stream("gpt-4o-mini", "Say hello"))).toMatchObject({
    usage: { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 },
    usageEstimated: true,
  });
});

test("a stream of a learnt format gets a guess too", async () => {
  const mapping: Mapping = {
    ...{ format: 1, request: { messages: { list: "/turns/*", role: "/role", text: "/said" } } },
    ...{ response: { text: "/said" }, stream: { text: { path: "/bit", mode: "append" } } },
  };
  const learnt = stream("gpt-4o-mini", "", {
    ...{ path: "/talk", mappingOf: () => mapping },
    requestBody: { model: "gpt-4o-mini", turns: [{ role: "user", said: "Say hello" }] },
    events: [{ data: { bit: SAID.slice(0, 9) } }, { data: { bit: SAID.slice(9) } }],
  });
  expect(await estimated(learnt)).toMatchObject({
    usage: { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 },
    usageEstimated: true,
  });
});

const counted = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
test.each([
  ["of a model without a tokenizer", stream("llama-3", "hi"), undefined],
  ["that has usage", stream("gpt-4o", "hi", { events: [{ data: counted }] }), 2],
  ["that failed", stream("gpt-4o", "hi", { events: [{ data: { error: { message: "no" } } }] }), undefined],
  ["of an unknown shape", stream("gpt-4o", "hi", { path: "/talk" }), undefined],
])("a stream %s gets no guess", async (_name, input, total) => {
  const reading = await estimated(input);
  expect(reading.usage?.total_tokens).toBe(total);
  expect(reading.usageEstimated).toBeUndefined();
});

test("a response that is no stream gets no guess", async () => {
  const whole = { object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: SAID } }] };
  expect((await estimated(stream("gpt-4o", "hi", { events: undefined, responseBody: whole }))).usage).toBeUndefined();
});

test("text made to be slow, and text that looks like the tokenizer's marks, are counted quickly", async () => {
  const slow = stream("gpt-4o", "<|endoftext|>".repeat(100) + "a".repeat(3_000_000));
  const counted = async () => expect((await estimated(slow)).usage?.prompt_tokens).toBeGreaterThan(100_000);
  expect(await cpuMsOf(counted)).toBeLessThan(20_000);
});
