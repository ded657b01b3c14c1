import { describe, expect, test } from "bun:test";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { messagesGrammar, responsesGrammar } from "./grammar.ts";
import {
  ask,
  askClaude,
  block,
  callsOf,
  chatCall,
  chatChunk,
  chatToMessages,
  deltasOf,
  messageStart,
  messagesToChat,
  responsesToChat,
  send,
  stopped,
  toolUse,
  weather,
} from "./translation.ts";

/** Places where gateways are known to break when they translate, each by its number. */

describe("calls in streams", () => {
  const twoCalls = [
    messageStart,
    ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "Let me see." }),
    ...toolUse(1, "a", '{"city"', ':"Oslo"}'),
    ...toolUse(2, "b", "{}"),
    ...stopped("tool_use"),
  ];
  const chunks = send(ask({ stream: true, tools: [weather] }), chatToMessages).stream(twoCalls);

  test("quirk 1: parallel calls have an index each, counted from 0", () => {
    expect(
      callsOf(chunks)
        .filter(({ id }) => id !== undefined)
        .map(({ index, id }) => [index, id]),
    ).toEqual([
      [0, "a"],
      [1, "b"],
    ]);
  });

  test("quirk 2: id, type and name come once, in the call's first chunk, then arguments alone", () => {
    const [first, ...rest] = callsOf(chunks).filter(({ index }) => index === 0);
    expect(first).toEqual({ index: 0, id: "a", type: "function", function: { name: "get_weather", arguments: "" } });
    expect(rest).toEqual([
      { index: 0, function: { arguments: '{"city"' } },
      { index: 0, function: { arguments: ':"Oslo"}' } },
    ]);
  });

  test("quirk 3: a call without arguments has an empty object", () => {
    const empty = [messageStart, ...toolUse(0, "a"), ...stopped("tool_use")];
    const sent = send(ask({ stream: true, tools: [weather] }), chatToMessages);
    expect(
      callsOf(sent.stream(empty))
        .map((call) => call.function.arguments)
        .join(""),
    ).toBe("{}");
    const whole = { content: [{ type: "tool_use", id: "a", name: "get_weather" }], stop_reason: "tool_use", usage: {} };
    expect(sent.answer(whole).choices[0].message.tool_calls[0].function.arguments).toBe("{}");
  });

  test("quirk 4: all calls in one chunk are read, in order", () => {
    const call = (index: number, id: string) => ({
      index,
      id,
      type: "function",
      function: { name: "get_weather", arguments: "{}" },
    });
    const both = [
      chatChunk({ role: "assistant", tool_calls: [call(0, "a"), call(1, "b")] }),
      chatChunk({}, "tool_calls"),
      "[DONE]",
    ];
    const events = send(askClaude({ stream: true }), messagesToChat).stream(both);
    expect(
      events.filter(({ type }) => type === "content_block_start").map(({ content_block }) => content_block.id),
    ).toEqual(["a", "b"]);
  });

  test("quirk 4: calls that share one index are distinguished by their ids", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "get_weather", arguments: "{}" } });
    const events = send(askClaude({ stream: true }), messagesToChat).stream([
      chatCall(0, call("a")),
      chatCall(0, call("b")),
      chatChunk({}, "stop"),
      "[DONE]",
    ]);
    expect(events.filter(({ type }) => type === "content_block_start")).toHaveLength(2);
  });

  test("quirk 5: interleaved calls become blocks one after the other", () => {
    const begin = (index: number, id: string) =>
      chatCall(index, { id, type: "function", function: { name: "get_weather", arguments: "" } });
    const more = (index: number, text: string) => chatCall(index, { function: { arguments: text } });
    const woven = [
      begin(0, "a"),
      begin(1, "b"),
      more(0, '{"city":'),
      more(1, '{"city":"Bergen"'),
      more(0, '"Oslo"}'),
      more(1, "}"),
      chatChunk({}, "tool_calls"),
      "[DONE]",
    ];
    const events = send(askClaude({ stream: true }), messagesToChat).stream(woven);
    expect(messagesGrammar(events.map((data) => ({ event: data.type, data })))).toBeUndefined();
    const inputs = [0, 1].map((index) =>
      events
        .filter((event) => event.index === index)
        .map(({ delta }) => delta?.partial_json ?? "")
        .join(""),
    );
    expect(inputs).toEqual(['{"city":"Oslo"}', '{"city":"Bergen"}']);
  });

  test.each(["stop", "tool_calls", "function_call"])(
    "quirk 6: a call in the response makes the finish reason tool_use, whatever the provider sends: %s",
    (finish) => {
      const call = { id: "a", type: "function", function: { name: "get_weather", arguments: "{}" } };
      const sent = send(askClaude({ stream: true }), messagesToChat);
      const whole = {
        choices: [{ index: 0, finish_reason: finish, message: { content: "I look.", tool_calls: [call] } }],
      };
      expect(sent.answer(whole).stop_reason).toBe("tool_use");
      const events = sent.stream([
        chatChunk({ content: "I look." }),
        chatCall(0, call),
        chatChunk({}, finish),
        "[DONE]",
      ]);
      expect(events.find(({ type }) => type === "message_delta").delta.stop_reason).toBe("tool_use");
    },
  );
});

test("a provider that says twice how the response ended is heard once", () => {
  const chunks = send(askClaude({ stream: true }), messagesToChat);
  const events = chunks.stream([chatChunk({ content: "Hi" }), chatChunk({}, "stop"), chatChunk({}, "stop"), "[DONE]"]);
  expect(events.map(({ type }) => type).filter((type) => type === "message_delta")).toHaveLength(1);
  const twice = send(ask({ stream: true }), { from: "chat-completions", to: "chat-completions" });
  const again = twice.stream([chatChunk({ content: "Hi" }), chatChunk({}, "stop"), chatChunk({}, "stop"), "[DONE]"]);
  expect(again.filter((chunk) => chunk.choices?.[0]?.finish_reason === "stop")).toHaveLength(1);
});

describe("failures", () => {
  test("quirk 32: an error in a stream is an error event of the client's shape", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const chunks = send(ask({ stream: true }), chatToMessages).stream([messageStart, error]);
    expect(chunks.at(-1)).toMatchObject({ error: { message: "Overloaded", type: "server_error" } });
    const events = send(askClaude({ stream: true }), messagesToChat).stream([
      { error: { message: "No", type: "server_error" } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "api_error", message: "No" } });
  });

  test.each([
    ["chat-completions", "messages", [messageStart, ...block(0, { type: "text", text: "Hi" })]],
    ["messages", "chat-completions", [chatChunk({ content: "Hi" })]],
    ["responses", "chat-completions", [chatChunk({ content: "Hi" }), "[DONE]"]],
  ])("quirk 33: %s: a provider that ends in mid-stream gets no clean end", (from, to, events) => {
    const sent = send(from === "responses" ? { model: "m", input: "Hi", stream: true } : askClaude({ stream: true }), {
      from,
      to,
    }).stream(events);
    const last = sent.at(-1);
    expect(last.error ?? last.response?.error).toMatchObject({
      message: expect.stringContaining("before the response was complete"),
    });
    expect(sent).not.toContain("[DONE]");
    expect(sent.map(({ type }) => type)).not.toContain("message_stop");
  });

  test("quirk 35: a stream of Responses has the whole grammar and the final output", () => {
    const call = { id: "a", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } };
    const events = send({ model: "m", input: "Hi", stream: true }, responsesToChat).stream([
      chatChunk({ role: "assistant", content: "" }),
      chatChunk({ reasoning_content: "Hm" }),
      chatChunk({ content: "I " }),
      chatChunk({ content: "look." }),
      chatCall(0, call),
      chatChunk({}, "tool_calls"),
      { choices: [], usage: { prompt_tokens: 4, completion_tokens: 5 } },
      "[DONE]",
    ]);
    expect(responsesGrammar(events.map((data) => ({ event: data.type, data })))).toBeUndefined();
    const { response } = events.at(-1);
    expect(response).toMatchObject({
      status: "completed",
      usage: { input_tokens: 4, output_tokens: 5, total_tokens: 9 },
    });
    expect(response.output.map(({ type }: Json) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test("quirk 36: the sign of life has the form that each client counts", () => {
    expect(SHAPES["chat-completions"]!.keepAlive!({})).toEqual({ comment: "keep-alive" });
    expect(SHAPES["messages"]!.keepAlive!({})).toEqual({ event: "ping", data: { type: "ping" } });
    expect(SHAPES["responses"]!.keepAlive!({ sequence: 7 })).toEqual({
      event: "keepalive",
      data: { type: "keepalive", sequence_number: 7 },
    });
  });

  test("quirk 47: a context that is too long has the words and codes that coding tools look for", () => {
    const claude = SHAPES["messages"]!.readError(400, {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
    });
    expect(SHAPES["responses"]!.writeError!(claude)).toMatchObject({ error: { code: "context_length_exceeded" } });
    const openAi = SHAPES["responses"]!.readError(400, {
      error: { message: "Your input exceeds the context window of this model.", code: "context_length_exceeded" },
    });
    expect((SHAPES["messages"]!.writeError!(openAi) as Json).error).toMatchObject({
      type: "invalid_request_error",
      message: expect.stringMatching(/^prompt is too long/),
    });
  });

  test("quirk 32: an error in a choice is an error, before content and after it", () => {
    const failed = {
      ...chatChunk({ content: "" }, "error"),
      choices: [{ index: 0, delta: {}, error: { message: "gone" } }],
    };
    for (const events of [[failed], [chatChunk({ content: "Hi" }), failed]]) {
      const sent = send(askClaude({ stream: true }), messagesToChat).stream(events);
      expect(sent.at(-1)).toMatchObject({ type: "error", error: { message: "gone" } });
    }
    const word = send(askClaude({ stream: true }), messagesToChat).stream([chatChunk({ content: "Hi" }, "error")]);
    expect(word.at(-1).type).toBe("error");
  });

  test("quirk 35: what stands in events of the end alone is said once, and nothing twice", () => {
    const at = { output_index: 1, content_index: 0 };
    const text = { type: "output_text", text: "Hello." };
    const item = { type: "message", id: "m", role: "assistant", content: [text] };
    const thought = {
      type: "reasoning",
      id: "r",
      summary: ["One.", "Two."].map((said) => ({ type: "summary_text", text: said })),
    };
    const call = { type: "function_call", id: "f", call_id: "c", name: "look", arguments: '{"a":1}' };
    const completed = {
      type: "response.completed",
      response: { id: "x", status: "completed", output: [thought, item, call] },
    };
    const ends: Json[] = [
      ...["One.", "Two."].map((said, summary_index) => ({
        type: "response.reasoning_summary_text.done",
        output_index: 0,
        summary_index,
        text: said,
      })),
      { type: "response.output_item.done", output_index: 0, item: thought },
      { type: "response.output_text.done", ...at, text: "Hello." },
      { type: "response.content_part.done", ...at, part: text },
      { type: "response.output_item.done", output_index: 1, item },
      { type: "response.output_item.added", output_index: 2, item: { ...call, arguments: "" } },
      { type: "response.function_call_arguments.done", output_index: 2, arguments: call.arguments },
      { type: "response.output_item.done", output_index: 2, item: call },
    ];
    const streams = [
      [...ends, completed],
      [completed],
      ...ends.map((_, left) => [...ends.slice(left), completed]).slice(0, 4),
      ends.filter(({ type }) => type !== "response.output_item.done").concat(completed),
    ];
    for (const [index, events] of streams.entries()) {
      const sent = send(ask({ stream: true }), { from: "chat-completions", to: "responses" }).stream(events);
      const said = (member: string) =>
        deltasOf(sent)
          .map((delta) => delta[member] ?? "")
          .join("");
      expect([index, said("content")]).toEqual([index, "Hello."]);
      if (index < 3) expect([index, said("reasoning_content")]).toEqual([index, "One.\n\nTwo."]);
      expect(
        callsOf(sent)
          .map((each) => each.function.arguments)
          .join(""),
      ).toBe('{"a":1}');
    }
  });
});
