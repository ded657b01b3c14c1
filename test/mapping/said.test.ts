import { expect, test } from "bun:test";
import fc from "fast-check";
import { type ExchangeInput, readExchange } from "../../src/mapping/read-exchange.ts";
import { newText, shownTexts, whatWasSaid } from "../../src/mapping/said.ts";
import { WIRE_SCHEMAS } from "../../src/mapping/wire/index.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { assertProperty } from "../chance.ts";

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const call = { id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } };
const chatResponse = (message: Json) => ({ object: "chat.completion", choices: [{ index: 0, message }] });
const delta = (part: Json) => ({ object: "chat.completion.chunk", choices: [{ index: 0, delta: part }] });

interface Case {
  readonly path: string;
  readonly request: Json;
  readonly response?: Json;
  readonly events?: readonly Json[];
}
interface Expected {
  readonly input: string | null;
  readonly output: string | null;
  readonly newInput?: string;
}

const said = ({ path, request, response, events }: Case) =>
  readExchange({
    method: "POST",
    path,
    host: "127.0.0.1",
    requestHeaders: new Headers(),
    responseHeaders: new Headers(),
    requestBody: request,
    responseBody: response,
    events: events?.map((data) => ({ data })),
    status: 200,
    provider: undefined,
    modelOverride: undefined,
  } satisfies ExchangeInput).said;

const CHAT = "/v1/chat/completions";

test.each<[string, Case, Expected]>([
  [
    "chat: the last message and the text",
    {
      path: CHAT,
      request: {
        messages: [
          { role: "system", content: "be brief" },
          { role: "user", content: "first" },
        ],
      },
      response: chatResponse({ role: "assistant", content: "hello" }),
    },
    { input: "first", output: "hello", newInput: "first" },
  ],
  [
    "chat: only what stands after the model's last message is new",
    {
      path: CHAT,
      request: {
        messages: [
          { role: "user", content: "old" },
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", content: "12 degrees" },
          { role: "user", content: "and tomorrow?" },
        ],
      },
      response: chatResponse({ role: "assistant", content: null, tool_calls: [call] }),
    },
    { input: "and tomorrow?", output: '→ get_weather({"city":"Paris"})', newInput: "12 degrees\x1eand tomorrow?" },
  ],
  [
    "chat: text and calls of a stream, a picture",
    {
      path: CHAT,
      request: { messages: [{ role: "user", content: [{ type: "text", text: "what is it?" }, image] }] },
      events: [
        delta({ role: "assistant", content: "let me " }),
        delta({ content: "look" }),
        delta({ tool_calls: [{ index: 0, ...call }] }),
      ],
    },
    { input: "what is it? [image]", output: 'let me look\n→ get_weather({"city":"Paris"})' },
  ],
  [
    "chat: a message that the model is to continue is not what was said last",
    {
      path: CHAT,
      request: {
        messages: [
          { role: "user", content: "a story" },
          { role: "assistant", content: "Once" },
        ],
      },
      response: chatResponse({ role: "assistant", content: "upon a time" }),
    },
    { input: "a story", output: "upon a time" },
  ],
  [
    "messages: a tool's result among the user's content",
    {
      path: "/v1/messages",
      request: {
        max_tokens: 9,
        messages: [
          { role: "user", content: "list files" },
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "ls", input: {} }] },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "a.txt" }] }],
          },
        ],
      },
      response: {
        type: "message",
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "one file" },
          { type: "tool_use", id: "t2", name: "cat", input: { path: "a.txt" } },
        ],
      },
    },
    { input: "a.txt", output: 'one file\n→ cat({"path":"a.txt"})', newInput: "a.txt" },
  ],
  [
    "responses: items of input and output",
    {
      path: "/v1/responses",
      request: {
        model: "m",
        input: [
          { role: "user", content: "weather?" },
          { type: "reasoning", summary: [] },
          { type: "function_call", name: "get_weather", arguments: "{}", call_id: "c1" },
          { type: "function_call_output", call_id: "c1", output: "sunny" },
        ],
      },
      response: {
        object: "response",
        output: [
          { type: "reasoning", summary: [{ type: "summary_text", text: "hidden" }] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "It is sunny." }] },
          { type: "function_call", name: "bye", arguments: "{}", call_id: "c2" },
        ],
      },
    },
    { input: "sunny", output: "It is sunny.\n→ bye()", newInput: "sunny" },
  ],
  [
    "responses: a text as input",
    { path: "/v1/responses", request: { model: "m", input: "hi" }, response: { object: "response", output: [] } },
    { input: "hi", output: null },
  ],
  [
    "generate-content: parts and function calls",
    {
      path: "/v1beta/models/gemini-2.0-flash:generateContent",
      request: {
        contents: [
          { role: "user", parts: [{ text: "one" }] },
          { role: "model", parts: [{ text: "1" }] },
          { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }, { text: "two" }] },
        ],
      },
      response: {
        candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "f", args: { x: 1 } } }] } }],
      },
    },
    { input: "[image] two", output: '→ f({"x":1})', newInput: "[image] two" },
  ],
  [
    "embeddings: the texts",
    {
      path: "/v1/embeddings",
      request: { model: "m", input: ["one", "two"] },
      response: { object: "list", data: [{ object: "embedding", embedding: [0.1] }] },
    },
    { input: "one\ntwo", output: null },
  ],
  [
    "completions: prompt and text",
    {
      path: "/v1/completions",
      request: { model: "m", prompt: "2+2=" },
      response: { object: "text_completion", choices: [{ text: "4" }] },
    },
    { input: "2+2=", output: "4" },
  ],
  [
    "images: the prompt, and a picture",
    {
      path: "/v1/images/generations",
      request: { model: "m", prompt: "a cat" },
      response: { data: [{ b64_json: "AAAA", revised_prompt: "a tabby cat" }] },
    },
    { input: "a cat", output: "[image] a tabby cat" },
  ],
  [
    "rerank: the query; the documents are new as well",
    {
      path: "/v1/rerank",
      request: { model: "m", query: "capital", documents: ["Paris", "pears"] },
      response: { results: [{ index: 0, relevance_score: 0.9 }] },
    },
    { input: "capital", output: "Paris", newInput: "Paris\x1epears\x1ecapital" },
  ],
  [
    "converse: content blocks",
    {
      path: "/model/amazon.nova/converse",
      request: {
        messages: [{ role: "user", content: [{ image: { format: "png", source: { bytes: "AAAA" } } }] }],
        inferenceConfig: {},
      },
      response: { output: { message: { role: "assistant", content: [{ text: "a dot" }] } } },
    },
    { input: "[image]", output: "a dot" },
  ],
  [
    "logged: a tool's call and what it said",
    {
      path: "/v1/log",
      request: { _type: "tool", toolName: "search", input: { q: "weir" } },
      response: { _type: "tool", toolName: "search", message: "3 found" },
    },
    { input: '→ search({"q":"weir"})', output: "3 found" },
  ],
  [
    "a format that nobody knows",
    { path: "/v9/odd", request: { odd: "text" }, response: { odder: 1 } },
    { input: null, output: null },
  ],
])("%s", (_name, exchange, { newInput, ...expected }) => {
  const found = said(exchange);
  expect(shownTexts(found)).toEqual(expected);
  if (newInput !== undefined) expect(found?.newInput).toBe(newInput);
});

test("what stands in a body that is omitted is not shown, and neither is a credential", () => {
  const both = { input: "in", output: "out" };
  expect(shownTexts(both, { omitRequest: true })).toEqual({ input: null, output: "out" });
  expect(shownTexts(both, { omitResponse: true })).toEqual({ input: "in", output: null });
  const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
  expect(shownTexts({ input: `${"x".repeat(450)} ${key}` }).input).not.toContain("sk-ant-api03-a1B2");
});

test("a long text ends after 500 characters and never within one", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "北", "👋"), minLength: 490, maxLength: 520 });
  assertProperty(
    fc.property(text, (input) => {
      const { input: shown } = shownTexts({ input });
      expect(input.startsWith(shown!)).toBe(true);
      expect(shown!.isWellFormed()).toBe(true);
      expect(shown!.length).toBeGreaterThan(Math.min(input.length, 500) - 2);
      expect(shown!.length).toBeLessThanOrEqual(500);
    }),
  );
});

test("what is found without reading all of a body is what reading all of it finds", () => {
  const text = fc.constantFrom("", "one", "two\nlines", "→");
  const content = fc.oneof(
    text,
    fc.array(fc.oneof(fc.record({ type: fc.constantFrom("text", "thinking"), text }), fc.constant(image)), {
      maxLength: 2,
    }),
    fc.constant(null),
  );
  const role = fc.constantFrom("user", "system", "developer", "assistant", "tool", "User", undefined);
  const beside = fc.constantFrom(
    {},
    {},
    {},
    { name: "n" },
    { images: ["AAAA"] },
    { tool_calls: [call] },
    { refusal: "no" },
  );
  const message = fc.tuple(role, content, beside).map(([role, content, more]) => ({ role, content, ...more }));
  const request = fc.record({
    messages: fc.array(fc.oneof(message, fc.constant("text")), { maxLength: 4 }),
    prompt: text,
  });
  const response = fc.oneof(
    fc.array(message, { maxLength: 2 }).map((all) => ({ choices: all.map((each) => ({ message: each })) })),
    content.map((content) => ({ type: "message", role: "assistant", content })),
  );
  assertProperty(
    fc.property(fc.constantFrom("chat-completions", "messages"), request, response, (name, request, response) => {
      const { plainMessages: _, plainResponse: __, ...slow } = WIRE_SCHEMAS[name];
      const found = whatWasSaid({ schema: WIRE_SCHEMAS[name], request, response });
      expect(found).toEqual(whatWasSaid({ schema: slow, request, response }));
    }),
    { numRuns: 500 },
  );
});

const TOO_LONG = { message: "at most 128000 tokens", type: "invalid_request_error", code: "context_length_exceeded" };

test.each<[string, Json, string | undefined]>([
  ["an error of OpenAI", { error: TOO_LONG }, "at most 128000 tokens invalid_request_error context_length_exceeded"],
  [
    "an error of Anthropic",
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    "Overloaded overloaded_error",
  ],
  ["an error as text", { error: "model 'x' not found" }, "model 'x' not found"],
  ["a response with a text", { ...chatResponse({ role: "assistant", content: "hello" }), error: TOO_LONG }, undefined],
  ["a response without a text", chatResponse({ role: "assistant", content: null }), undefined],
  ["no response", undefined, undefined],
])("the error in words of %s", (_name, response, error) => {
  const found = whatWasSaid({ schema: WIRE_SCHEMAS["chat-completions"], request: {}, response });
  expect(found.error).toBe(error);
});

test.each([
  [{ newInput: "asked", error: "too long" }, {}, "asked\x1etoo long"],
  [{ newInput: "asked", error: "too long" }, { omitResponse: true }, "asked"],
  [{ newInput: "asked", output: "said" }, {}, "asked\x1esaid"],
  [{ newInput: "asked" }, {}, "asked"],
  [{ output: "said" }, {}, "said"],
  [{ newInput: "asked", output: "said" }, { omitRequest: true }, "said"],
  [{ newInput: "asked", output: "said" }, { omitResponse: true }, "asked"],
  [{ newInput: "asked", output: "said" }, { omitRequest: true, omitResponse: true }, null],
  [{}, {}, null],
  [undefined, undefined, null],
])("of %j, with %j, words are indexed of %j", (texts, omitted, text) => {
  expect(newText(texts, omitted)).toBe(text);
});
