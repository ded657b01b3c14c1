import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import {
  ask,
  askClaude,
  block,
  callsOf,
  chatCall,
  chatChunk,
  chatToMessages,
  messageStart,
  messagesToChat,
  messagesToResponses,
  responsesToChat,
  send,
  stopped,
} from "./translation.ts";

/** Answers that providers of chat completions send now and then, as a client of Messages gets them. */

const streamed = (...events: Json[]) => send(askClaude({ stream: true }), messagesToChat).stream([...events, "[DONE]"]);
const uses = (events: readonly Json[]) =>
  events.filter(({ type }) => type === "content_block_start").map(({ content_block }) => content_block);
const inputs = (events: readonly Json[]) =>
  events.flatMap(({ delta }) => (delta?.type === "input_json_delta" ? delta.partial_json : [])).join("");
const end = chatChunk({}, "tool_calls");
const OURS = /^call_[A-Za-z0-9]{24}$/;

describe("a stream", () => {
  test("whose call has its name in a later chunk: the call waits for it", () => {
    const events = streamed(
      chatCall(0, { id: "a", type: "function", function: {} }),
      chatCall(0, { function: { arguments: '{"q"' } }),
      chatCall(0, { function: { name: "look" } }),
      chatCall(0, { function: { arguments: ":1}" } }),
      end,
    );
    expect(uses(events)).toEqual([{ type: "tool_use", id: "a", name: "look", input: {} }]);
    expect(inputs(events)).toBe('{"q":1}');
  });

  test("whose call never has a name: it comes at the end", () => {
    const events = streamed(chatCall(0, { id: "a", function: { arguments: "{}" } }), end);
    expect(uses(events)).toMatchObject([{ id: "a", name: "" }]);
    expect(events.at(-1).type).toBe("message_stop");
  });

  test("whose call never begins: chat gets no call without id and name", () => {
    const [, ...nameless] = block(0, {}, { type: "input_json_delta", partial_json: '{"q":1}' });
    const events = [messageStart, ...nameless, ...block(1, { type: "text", text: "Hi" }), ...stopped("end_turn")];
    const chunks = send(ask({ stream: true }), chatToMessages).stream(events);
    expect(callsOf(chunks)).toEqual([]);
    expect(chunks.at(-1)).toBe("[DONE]");
  });

  test("that is a whole response in one event", () => {
    const whole = { choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] };
    const events = streamed(whole);
    expect(events.find(({ delta }) => delta?.type === "text_delta").delta.text).toBe("Hi");
    expect(events.at(-1).type).toBe("message_stop");
  });

  test("whose last chunk repeats the whole response with its end: it is passed on once", () => {
    const last = { choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }] };
    const texts = streamed(chatChunk({ content: "Hi" }), last).flatMap(({ delta }) => delta?.text ?? []);
    expect(texts).toEqual(["Hi"]);
  });

  test("whose error stands in an event with that name alone", () => {
    const sent = send(askClaude({ stream: true }), messagesToChat);
    expect(sent.named({ name: "error", data: { message: "gone" } })).toMatchObject([
      { type: "error", error: { message: "gone" } },
    ]);
  });
});

test.each([
  ["model_length", "model_context_window_exceeded", "length"],
  ["model_context_window_exceeded", "model_context_window_exceeded", "length"],
  ["sensitive", "refusal", "content_filter"],
])("a response that ends with %s did not end by itself", (word, stop_reason, chat) => {
  const whole = { choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: word }] };
  expect(send(askClaude(), messagesToChat).answer(whole)).toMatchObject({ stop_reason });
  const deltas = streamed(chatChunk({ content: "Hi" }), chatChunk({}, word)).flatMap(({ delta }) => delta ?? []);
  expect(deltas.at(-1)).toMatchObject({ stop_reason });
  const inChat = send({ input: "Hi", messages: [] }, { from: "chat-completions", to: "chat-completions" });
  expect(inChat.answer(whole).choices[0].finish_reason).toBe(chat);
});

test("tokens of reasoning reach clients of Messages in the member that Anthropic has for them", () => {
  const usage = { prompt_tokens: 5, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } };
  const counted = { input_tokens: 5, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } };
  const choice = { index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" };
  expect(send(askClaude(), messagesToChat).answer({ choices: [choice], usage }).usage).toMatchObject(counted);
  const last = streamed(chatChunk({ content: "Hi" }), { ...chatChunk({}, "stop"), usage });
  expect(last.find(({ type }) => type === "message_delta").usage).toMatchObject(counted);
});

test.each(["error", "network_error", "insufficient_system_resource"])("a stream that ends with %s failed", (word) => {
  const last = streamed(chatChunk({ content: "Hi" }), chatChunk({}, word)).at(-1);
  expect(last).toMatchObject({ type: "error", error: { message: expect.stringContaining(word) } });
});

test("a refusal, which OpenAI ends as any text: Messages has the stop reason", () => {
  const refusal = "I can't help.";
  const choice = { index: 0, message: { role: "assistant", content: null, refusal }, finish_reason: "stop" };
  const refused = { content: [{ type: "text", text: refusal }], stop_reason: "refusal" };
  expect(send(askClaude(), messagesToChat).answer({ choices: [choice] })).toMatchObject(refused);
  const events = streamed(chatChunk({ refusal }), chatChunk({}, "stop"));
  expect(events.find(({ type }) => type === "message_delta").delta.stop_reason).toBe("refusal");
  const item = { type: "message", role: "assistant", content: [{ type: "refusal", refusal }] };
  const answer = { object: "response", status: "completed", output: [item] };
  expect(send(askClaude(), messagesToResponses).answer(answer)).toMatchObject(refused);
});

test.each([
  ["nothing", [], ""],
  ["only a thought", [{ type: "thinking", thinking: "Hm", signature: "s" }], ""],
  ["only a call", [{ type: "tool_use", id: "t1", name: "look", input: {} }], null],
])("a response with %s: the content of a chat's message is %j", (_name, content, expected) => {
  const message = { type: "message", role: "assistant", content, stop_reason: "end_turn" };
  expect(send(ask(), chatToMessages).answer(message).choices[0].message.content).toBe(expected);
});

test.each([
  ["a throttled Claude", "messages", { type: "error", error: { type: "rate_limit_error", message: "slow" } }],
  ["a throttled Gemini", "generate-content", { error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } }],
  ["a throttled chat, with a number", "chat-completions", { error: { code: 429, message: "slow" } }],
])("%s in mid-stream is a code that clients of Responses retry after", (_name, to, error) => {
  const last = send({ input: "Hi", stream: true }, { from: "responses", to }).stream([error]).at(-1);
  expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "rate_limit_exceeded" } } });
});

test("the provider's own code of a failure in mid-stream stays, and a number is no code", () => {
  const codeOf = (code: Json) => {
    const sent = send({ input: "Hi", stream: true }, responsesToChat);
    return sent.stream([{ error: { code, message: "gone" } }]).at(-1).response.error.code;
  };
  expect(["insufficient_quota", "boom", 502].map(codeOf)).toEqual(["insufficient_quota", "boom", "server_error"]);
});

describe("ids of calls", () => {
  const call = (id: Json) => ({ id, type: "function", function: { name: "look", arguments: "{}" } });
  const responseOf = (...ids: Json[]) => ({
    choices: [{ message: { tool_calls: ids.map(call) }, finish_reason: "tool_calls" }],
  });
  const idsOf = (response: Json): string[] => response.content.map(({ id }: Json) => id);

  test("a call without one gets one of ours, which no other call of any response has", () => {
    const ids = ["reply-1", "reply-2"].flatMap((responseId) =>
      idsOf(send(askClaude(), { ...messagesToChat, answerId: responseId }).answer(responseOf(undefined, null, ""))),
    );
    for (const id of ids) expect(id).toMatch(OURS);
    expect(new Set(ids).size).toBe(6);
  });

  test("a call with another's gets one of its own", () => {
    const ids = idsOf(send(askClaude(), messagesToChat).answer(responseOf("a", "a", "b")));
    expect(ids).toEqual(["a", expect.stringMatching(OURS), "b"]);
    const stream = streamed(chatCall(0, call("a")), chatCall(1, call("a")), end);
    expect(uses(stream).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });

  test("of Anthropic's as well", () => {
    const use = { type: "tool_use", name: "look", input: {} };
    const whole = send(ask(), chatToMessages).answer({ content: [use, use], stop_reason: "tool_use" });
    const ids = whole.choices[0].message.tool_calls.map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(2);
    const chunks = send(ask({ stream: true }), chatToMessages).stream([
      messageStart,
      ...block(0, use),
      ...block(1, use),
      ...stopped("tool_use"),
    ]);
    expect(callsOf(chunks).flatMap(({ id }) => id ?? [])).toEqual(ids);
  });
});

test("a response to clients of Responses has every count of its usage, also those that the provider does not report", () => {
  const counted = { input_tokens: 5, output_tokens: 9 };
  const usage = {
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 14,
  };
  const sent = send({ model: "m", input: "Hi", stream: true }, { from: "responses", to: "messages" });
  const body = { type: "message", content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage: counted };
  expect(sent.answer(body).usage).toEqual(usage);
  const events = [messageStart, ...block(0, { type: "text", text: "Hi" }), ...stopped("end_turn")];
  expect(sent.stream(events).at(-1).response.usage).toEqual(usage);
});

describe("a call of a free-text tool, which Messages does not have, has its text as one member", () => {
  const text = 'a "q"\n*** 日本 👩';
  const custom = (input: string) => ({ type: "custom", custom: { name: "patch", input } });

  test("whole", () => {
    const message = { role: "assistant", content: null, tool_calls: [{ id: "a", ...custom(text) }] };
    const { content } = send(askClaude(), messagesToChat).answer({ choices: [{ index: 0, message }] });
    expect(content).toEqual([{ type: "tool_use", id: "a", name: "patch", input: { input: text } }]);
  });

  test("streamed, cut within a letter", () => {
    const chunks = [text.slice(0, 3), text.slice(3, -1), text.slice(-1)];
    const events = streamed(
      chatCall(0, { id: "a", ...custom("") }),
      ...chunks.map((input) => chatCall(0, { custom: { input } })),
      end,
    );
    expect(uses(events)).toEqual([{ type: "tool_use", id: "a", name: "patch", input: {} }]);
    expect(JSON.parse(inputs(events))).toEqual({ input: text });
  });
});
