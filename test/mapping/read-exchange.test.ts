import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import anthropic from "../../providers/anthropic.ts";
import google from "../../providers/google.ts";
import openai from "../../providers/openai.ts";
import { readExchange, toLlmSchema } from "../../src/mapping/read-exchange.ts";
import type { ProviderPlugin, Reading } from "../../src/plugin-host/contract.ts";
import { LlmSchema } from "../../src/record/llm-schema.ts";
import { events, exchange } from "./exchange-input.ts";

test("the service tier is stored with the usage that it prices, of a stream too", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const response = { object: "chat.completion", model: "m-1", choices: [], usage, service_tier: "flex" };
  const chunk = { object: "chat.completion.chunk", model: "m-1", service_tier: "flex" };
  const streamed = events(
    { ...chunk, choices: [{ index: 0, delta: { content: "a" } }] },
    { ...chunk, choices: [], usage },
  );
  const requestBody = { model: "m", messages: [] };
  for (const said of [{ responseBody: response }, { events: streamed }])
    expect(readExchange(exchange({ requestBody, ...said })).usageRaw).toEqual({ ...usage, service_tier: "flex" });
});

test("a member that a provider's hook leaves undefined keeps what was read", () => {
  const response = { object: "chat.completion", model: "m-1", choices: [], usage: { prompt_tokens: 3 } };
  const provider = {
    ...openai,
    readResponse: () => ({ id: "own", model: undefined, usage: undefined }) as object as Reading,
  };
  expect(readExchange(exchange({ provider, requestBody: { model: "m" }, responseBody: response }))).toMatchObject({
    id: "own",
    responseModel: "m-1",
    usage: { prompt_tokens: 3 },
  });
});

test("a provider's hooks on requests and on events of a stream precede what was read", () => {
  const chunk = { object: "chat.completion.chunk", id: "theirs", model: "m-1" };
  const streamed = events({ ...chunk, choices: [{ index: 0, delta: { content: "a" } }] });
  const provider: ProviderPlugin = {
    ...openai,
    readRequest: () => ({ model: "own-request", userId: "own-user" }),
    readEvent: () => ({ id: "own", model: undefined }) as object as Reading,
  };
  const requestBody = { model: "m", messages: [] };
  expect(readExchange(exchange({ provider, requestBody, events: streamed }))).toMatchObject({
    id: "own",
    requestModel: "own-request",
    responseModel: "m-1",
    userId: "own-user",
  });
});

test.each([
  ["models/gpt-4o", "gpt-4o"],
  ["models/", ""],
  ["my-models/gpt-4o", "my-models/gpt-4o"],
  ["models/models/x", "models/x"],
])("the model %j of a request is %j", (model, name) => {
  expect(readExchange(exchange({ requestBody: { model, messages: [] } })).requestModel).toBe(name);
});

test("an unknown server that speaks chat completions is read by shape", () => {
  const reading = readExchange(
    exchange({
      requestBody: { model: "m", messages: [{ role: "user", content: "hi" }] },
      responseBody: {
        id: "c1",
        object: "chat.completion",
        model: "m-1",
        choices: [{ index: 0, message: { role: "assistant", content: "hello" } }],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      },
    }),
  );
  expect(reading).toMatchObject({
    id: "c1",
    requestModel: "m",
    responseModel: "m-1",
    promptText: "hi",
    completionText: "hello",
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    wireSchema: "chat-completions",
  });
});

test.each([
  [
    "messages",
    "/v1/messages",
    { type: "message_start", message: { model: "m-1", content: [], usage: { input_tokens: 3 } } },
  ],
  [
    "responses",
    "/v1/responses",
    { type: "response.created", response: { object: "response", model: "m-1", output: [] } },
  ],
])("a stream of an unknown server is known by its first event: %s", (schema, path, first) => {
  const reading = readExchange(
    exchange({
      path,
      requestBody: { model: "m" },
      events: events(first, { type: "ping" }, { type: "other", model: "" }),
    }),
  );
  expect(reading).toMatchObject({ wireSchema: schema, responseModel: "m-1" });
});

test("thoughts of a response are separate from its text", () => {
  const output = [
    { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "hm" }] },
    { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "4" }] },
  ];
  const schema = toLlmSchema({
    wireSchema: "responses",
    provider: "OPENAI",
    model: "m",
    path: "/v1/responses",
    requestBody: { model: "m", input: "2+2" },
    responseBody: { object: "response", model: "m", output },
    status: 200,
  });
  expect(schema?.response.responses?.map(({ text }) => text ?? "").join("")).toBe("4");
  expect(schema?.response.responses?.[0]?.contentArray).toEqual([
    { _type: "message", type: "reasoning", reasoning: "hm" },
  ]);
});

test.each([
  ["/v1/realtime?model=gpt%2Drealtime", "gpt-realtime"],
  ["/openai/realtime?api-version=1&deployment=mine", "mine"],
  ["/v1/chat/completions?model=no", undefined],
])("the model of %s is %s", (path, model) => {
  expect(readExchange(exchange({ method: "GET", path, status: 101 })).requestModel).toBe(model);
});

test("each side of the neutral schema names its own model", () => {
  const schema = toLlmSchema({
    wireSchema: "chat-completions",
    provider: "OPENAI",
    model: "other",
    requestModel: "m",
    responseModel: "m-1",
    path: "/v1/chat/completions",
    requestBody: {},
    responseBody: {},
    status: 200,
  });
  expect([schema?.request.model, schema?.response.model]).toEqual(["m", "m-1"]);
});

test("an unknown shape has no wire schema, and its model is pending", () => {
  const reading = readExchange(
    exchange({ path: "/talk", requestBody: { model: "odd", turns: [] }, responseBody: { utterance: "x" } }),
  );
  expect(reading.wireSchema).toBeUndefined();
  expect(reading.requestModel).toBe("odd");
});

test("a stream of chat chunks becomes the object that would have come whole", () => {
  const chunk = (delta: object, rest: object = {}) => ({
    id: "c1",
    object: "chat.completion.chunk",
    model: "m-1",
    choices: [{ index: 0, delta, finish_reason: null }],
    usage: null,
    ...rest,
  });
  const reading = readExchange(
    exchange({
      provider: openai,
      requestBody: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] },
      events: events(
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "hel" }),
        chunk({ content: "lo" }),
        chunk({ tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "f", arguments: '{"a"' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
        chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
        chunk({}, { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }),
        "[DONE]",
      ),
    }),
  );
  expect(reading.responseBody).toEqual({
    id: "c1",
    object: "chat.completion",
    model: "m-1",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "hello",
          tool_calls: [{ id: "t1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
  expect(reading.usage?.total_tokens).toBe(5);
});

test("an Anthropic stream keeps the last value of each count and adds the caches to the input", () => {
  const reading = readExchange(
    exchange({
      provider: anthropic,
      path: "/v1/messages",
      requestBody: { model: "claude", max_tokens: 9, messages: [{ role: "user", content: "hi" }] },
      events: events(
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "claude-1",
            content: [],
            usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 7, cache_creation_input_tokens: 2 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "f", input: {} } },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { input_tokens: 6, output_tokens: 4 } },
      ),
    }),
  );
  expect(reading.usage).toEqual({
    prompt_tokens: 15,
    completion_tokens: 4,
    total_tokens: 19,
    prompt_cache_read_tokens: 7,
    prompt_cache_write_tokens: 2,
  });
  expect(reading.responseBody.content).toEqual([{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }]);
});

test("Gemini's thoughts are part of the output, and its model stands in the path", () => {
  const reading = readExchange(
    exchange({
      provider: google,
      path: "/v1beta/models/gemini-9:generateContent?key=masked",
      requestBody: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
      responseBody: {
        candidates: [{ content: { role: "model", parts: [{ text: "thinking", thought: true }, { text: "hello" }] } }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 4, totalTokenCount: 9 },
        modelVersion: "gemini-9-001",
      },
    }),
  );
  expect(reading).toMatchObject({ requestModel: "gemini-9", responseModel: "gemini-9-001", completionText: "hello" });
  expect(reading.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 6, reasoning_tokens: 4, total_tokens: 9 });
});

test("a failure inside a stream of status 200 is a failure", () => {
  const reading = readExchange(
    exchange({
      events: events(
        { id: "c", choices: [{ index: 0, delta: { content: "a" } }] },
        { error: { message: "broke", code: 7 } },
      ),
      requestBody: { messages: [] },
    }),
  );
  expect(reading.error).toEqual({ message: "broke", type: "7" });
  expect(
    toLlmSchema({
      wireSchema: "chat-completions",
      provider: "CUSTOM",
      model: null,
      path: "/",
      requestBody: {},
      responseBody: reading.responseBody,
      status: 200,
    })?.response.error,
  ).toEqual({ gatewayMessage: "broke" });
});

test.each([
  ["reading a stored response", "GET", "/v1/responses/resp_1"],
  ["cancelling", "POST", "/v1/responses/resp_1/cancel"],
])("%s is no usage", (_name, method, path) => {
  const responseBody = {
    object: "response",
    id: "resp_1",
    model: "m",
    output: [],
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  const reading = readExchange(exchange({ provider: openai, method, path, responseBody }));
  expect(reading.usage).toBeUndefined();
  expect(reading.responseModel).toBe("m");
});

test.each([
  [
    "tool",
    { _type: "tool", toolName: "search", input: { q: 1 } },
    { message: "ok", status: "success", tips: ["a"] },
    { toolDetails: { toolName: "search", input: { q: 1 } } },
    { toolDetailsResponse: { status: "success", tips: ["a"] } },
  ],
  [
    "vector_db",
    { _type: "vector_db", operation: "SEARCH", vector: [0.5], topK: 3, databaseName: "d" },
    { actualSimilarity: 0.9 },
    { vectorDBDetails: { operation: "search", vector: [0.5], topK: 3 } },
    { vectorDBDetailsResponse: { actualSimilarity: 0.9 } },
  ],
  [
    "data",
    { _type: "data", name: "import", meta: { rows: 2 } },
    { message: "done" },
    { dataDetails: { name: "import", meta: { rows: 2 } } },
    { dataDetailsResponse: { message: "done" } },
  ],
])("a logged call of kind %s has its details", (kind, requestBody, responseBody, request, response) => {
  const input = { wireSchema: "logged", provider: "CUSTOM", model: null, path: "/v1/log", status: 200 } as const;
  const schema = toLlmSchema({ ...input, requestBody, responseBody });
  expect(schema).toMatchObject({ request: { llm_type: kind, ...request }, response });
  expect(Value.Check(LlmSchema, schema)).toBe(true);
});

test("the schema of a request names the requested model, that of the response the model that responded", () => {
  const schema = toLlmSchema({
    wireSchema: "chat-completions",
    provider: "OPENAI",
    model: "m-1-2026-01-01",
    requestModel: "m-1",
    path: "/v1/chat/completions",
    requestBody: { model: "m-1", messages: [] },
    responseBody: { model: "m-1-2026-01-01", choices: [] },
    status: 200,
  });
  expect([schema?.request.model, schema?.response.model]).toEqual(["m-1", "m-1-2026-01-01"]);
});

test("Cohere's reasoning tokens are read", () => {
  const tokens = { input_tokens: 3, output_tokens: 9, reasoning_tokens: 5 };
  const reading = readExchange(
    exchange({
      path: "/v2/chat",
      requestBody: { model: "command-a-reasoning", messages: [{ role: "user", content: "hi" }] },
      responseBody: {
        id: "c",
        message: { role: "assistant", content: [{ type: "text", text: "a" }] },
        usage: { tokens },
      },
    }),
  );
  expect(reading.usage).toEqual({ prompt_tokens: 3, completion_tokens: 9, reasoning_tokens: 5, total_tokens: 12 });
});
