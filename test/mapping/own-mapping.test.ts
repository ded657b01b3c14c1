import { expect, test } from "bun:test";
import { MAPPED } from "../../src/mapping/mapped-schema.ts";
import { type ExchangeInput, readExchange } from "../../src/mapping/read-exchange.ts";
import type { BodyMapping, ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { buildRegistry } from "../../src/plugin-host/providers/registry.ts";
import type { Mapping } from "../../src/record/mapping-schema.ts";

const MAPPING: BodyMapping = {
  format: 1,
  request: {
    model: "/engine/called",
    messages: { list: "/turns/*", role: "/speaker", text: "/utterance", roles: { customer: "user" } },
  },
  response: { text: "/reply/utterance", usage: { prompt_tokens: "/billing/in", completion_tokens: "/billing/out" } },
  stream: {
    text: { path: "/bit", mode: "append" },
    usage: { prompt_tokens: "/billing/in", completion_tokens: "/billing/out" },
  },
};
const ACME: ProviderPlugin = { apiVersion: 1, name: "ACME", mapping: MAPPING };
const REQUEST = { engine: { called: "zeta" }, turns: [{ speaker: "customer", utterance: "hello" }] };

const read = (more: Partial<ExchangeInput>) =>
  readExchange({
    ...{ method: "POST", path: "/say", host: "acme.test", status: 200, events: undefined, modelOverride: undefined },
    ...{ requestHeaders: new Headers(), responseHeaders: new Headers(), provider: ACME },
    ...{ requestBody: REQUEST, responseBody: undefined },
    ...more,
  });

test("a provider's own mapping reads the first record: model, text and usage, whole and streamed", () => {
  const billing = { in: 3, out: 5 };
  const expected = {
    ...{ requestModel: "zeta", promptText: "hello", completionText: "good day", wireSchema: MAPPED },
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  };
  expect(read({ responseBody: { reply: { utterance: "good day" }, billing } })).toMatchObject(expected);
  const events = [{ data: { bit: "good " } }, { data: { bit: "day" } }, { data: { billing } }];
  expect(read({ events })).toMatchObject(expected);
});

test("it goes before what was learnt, and before a known format whose path and bodies fit", () => {
  const learnt: Mapping = { format: 1, request: { prompt: "/engine/called" }, response: { text: "/billing/in" } };
  const mappingOf = () => learnt;
  const responseBody = { reply: { utterance: "good day" }, billing: { in: 3 } };
  expect(read({ responseBody, mappingOf })).toMatchObject({ promptText: "hello", completionText: "good day" });
  // Bodies that it does not fit are not read with what was learnt either: records are shown with one mapping.
  expect(read({ requestBody: { engine: { called: "x" } }, responseBody, mappingOf }).wireSchema).toBeUndefined();

  const chat = { messages: [{ role: "user", content: "known" }], turns: REQUEST.turns, model: "m" };
  const both = { choices: [{ index: 0, message: { role: "assistant", content: "known" } }], ...responseBody };
  const path = "/v1/chat/completions";
  expect(read({ path, requestBody: chat, responseBody: both, provider: undefined }).completionText).toBe("known");
  expect(read({ path, requestBody: chat, responseBody: both }).completionText).toBe("good day");
  // A path that the provider declares is what it says, and so is a body that the mapping does not fit.
  const declared: ProviderPlugin = { ...ACME, wireSchemas: [{ path: /completions$/, schema: "chat-completions" }] };
  expect(read({ path, requestBody: chat, responseBody: both, provider: declared }).completionText).toBe("known");
  const { turns: _turns, ...plain } = chat;
  expect(read({ path, requestBody: plain, responseBody: both }).wireSchema).toBe("chat-completions");
});

test("it is taken over by a provider that extends this one", () => {
  const loaded = (value: ProviderPlugin) => ({ value, file: `${value.name}.ts`, builtIn: false }) as never;
  const child: ProviderPlugin = { apiVersion: 1, name: "ACME-EU", extends: "ACME" };
  const registry = buildRegistry([loaded(ACME), loaded(child)]);
  expect(registry.providerByName("acme-eu")!.mapping).toEqual(MAPPING);
});
