import { expect, test } from "bun:test";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import { readWhole, StreamTranslation, writeWhole } from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json, StreamEvent } from "../../../src/plugin-host/contract.ts";

const shape = SHAPES["converse"]!;
const chat = SHAPES["chat-completions"]!;
const prompt = chat.readRequest!({ messages: [{ role: "user", content: "Hi" }], stream: true });
const options = () => ({
  from: shape,
  to: chat,
  names: new ToolNames(undefined),
  issuer: "anthropic",
  reply: { id: "r", model: "m", created: 1, prompt },
});
const whole = (content: Json[], stopReason: string) => ({
  output: { message: { role: "assistant", content } },
  stopReason,
});
const read = (body: Json) => readWhole(body, options()).answer;

test.each([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "context"],
  ["guardrail_intervened", "filter"],
  ["content_filtered", "filter"],
  ["malformed_tool_use", "malformed"],
  ["new_word", "end"],
] as const)("%s ends with %s", (word, finish) => {
  const { finish: found } = read(whole([{ text: "x" }], word)).choices[0]!;
  expect(found).toBe(word === "stop_sequence" ? "stop" : finish);
});

test("a response's blocks and counts are read", () => {
  const answer = read({
    ...whole(
      [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "s" } } },
        {
          citationsContent: {
            content: [{ text: "Hello" }],
            citations: [{ title: "T", location: { web: { url: "https://a.test" } } }],
          },
        },
        { toolUse: { toolUseId: "t1", name: "f", input: { a: 1 } } },
      ],
      "tool_use",
    ),
    usage: { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 10, cacheWriteInputTokens: 20 },
  });
  expect(answer).toEqual({
    choices: [
      {
        parts: [
          { type: "reasoning", text: "Hm", state: { issuer: "anthropic", kind: "signature", value: "s" } },
          { type: "text", text: "Hello", citations: [{ url: "https://a.test", title: "T" }] },
          { type: "call", id: "t1", name: "f", arguments: '{"a":1}' },
        ],
        finish: "calls",
      },
    ],
    usage: { prompt_tokens: 35, completion_tokens: 2, prompt_cache_read_tokens: 10, prompt_cache_write_tokens: 20 },
  });
});

const begun: StreamEvent[] = [
  { name: "messageStart", data: { role: "assistant" } },
  { name: "contentBlockDelta", data: { contentBlockIndex: 0, delta: { text: "Hel" } } },
];

test.each([
  ["throttlingException", 429, {}],
  ["validationException", 400, {}],
  ["modelStreamErrorException", 424, {}],
  ["modelStreamErrorException", 503, { originalStatusCode: 503 }],
  ["serviceUnavailableException", 503, {}],
  ["internalServerException", 500, {}],
  ["InternalFailure Exception", 500, {}],
])("quirks 32, 33: %s in a stream is an error of status %d, and nothing follows", (name, status, more) => {
  const stream = new StreamTranslation(options());
  for (const event of begun) stream.event(event);
  const sent = stream.event({ name, data: { message: "No", ...more } });
  expect(stream.error).toMatchObject({ status, message: "No" });
  expect(sent.at(-1)!.data.error.message).toBe("No");
  expect([...stream.event({ name: "messageStop", data: { stopReason: "end_turn" } }), ...stream.close()]).toEqual([]);
});

test.each([
  [["END"], "stop_sequence", "END"],
  [["END", "FIN"], "end_turn", null],
])("a stop text out of %j, which Bedrock does not name: Messages has %s", (stop_sequences, reason, text) => {
  const messages = SHAPES["messages"]!;
  const given = { max_tokens: 9, messages: [{ role: "user", content: "Hi" }], stop_sequences };
  const reply = { ...options().reply, prompt: messages.readRequest!(given) };
  const to = { ...options(), to: messages, reply };
  const sent = writeWhole(readWhole(whole([{ text: "x" }], "stop_sequence"), to).answer, to);
  expect(sent).toMatchObject({ stop_reason: reason, stop_sequence: text });
  const stream = new StreamTranslation(to);
  for (const event of begun) stream.event(event);
  stream.event({ name: "messageStop", data: { stopReason: "stop_sequence" } });
  const delta = stream.close().find(({ event }) => event === "message_delta")!.data.delta;
  expect(delta).toEqual({ stop_reason: reason, stop_sequence: text });
});

test("a Claude's stream at Bedrock may end in the same exceptions", () => {
  const stream = new StreamTranslation({ ...options(), from: SHAPES["messages"]! });
  stream.event({
    name: "chunk",
    data: { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hel" } },
  });
  const sent = stream.event({ name: "throttlingException", data: { message: "Too many requests" } });
  expect(stream.error).toMatchObject({ status: 429, message: "Too many requests", type: "throttlingException" });
  expect(sent.at(-1)!.data.error.message).toBe("Too many requests");
});

test("a stream without its end has failed", () => {
  const stream = new StreamTranslation(options());
  for (const event of begun) stream.event(event);
  stream.close();
  expect(stream.error?.code).toBe("upstream_malformed");
});

test("an error is its message", () => {
  expect(shape.readError(403, { message: "The security token is invalid." })).toEqual({
    status: 403,
    message: "The security token is invalid.",
  });
  expect(shape.readError(400, { __type: "com.amazon#ValidationException", message: "Bad" })).toEqual({
    status: 400,
    message: "Bad",
    type: "ValidationException",
  });
});
