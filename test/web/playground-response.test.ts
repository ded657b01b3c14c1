import { expect, test } from "bun:test";
import type { Shape } from "../../src/web/pages/playground/draft.ts";
import { NO_RESPONSE, READERS } from "../../src/web/pages/playground/read-response.ts";
import { serverEvents } from "../../src/web/pages/playground/server-events.ts";

const SAID = {
  text: "It rains.",
  reasoning: "Look outside.",
  calls: [{ name: "get_weather", arguments: '{"city":"Ulm"}' }],
};

/** The same response in each API: whole, and in events. */
const ANSWERS: Readonly<
  Record<
    Shape,
    {
      readonly end: readonly [whole: string, streamed: string];
      readonly whole: object;
      readonly events: readonly object[];
    }
  >
> = {
  "chat-completions": {
    end: ["tool_calls", "tool_calls"],
    whole: {
      choices: [
        {
          message: {
            content: "It rains.",
            reasoning_content: "Look outside.",
            tool_calls: [{ id: "c", type: "function", function: { name: "get_weather", arguments: '{"city":"Ulm"}' } }],
          },
          finish_reason: "tool_calls",
        },
      ],
    },
    events: [
      { choices: [{ delta: { role: "assistant", content: "" } }] },
      { choices: [{ delta: { reasoning_content: "Look outside." } }] },
      { choices: [{ delta: { content: "It " } }] },
      { choices: [{ delta: { content: "rains." } }] },
      {
        choices: [{ delta: { tool_calls: [{ index: 0, id: "c", function: { name: "get_weather", arguments: "" } }] } }],
      },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '"Ulm"}' } }] } }] },
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      { choices: [], usage: { total_tokens: 5 } },
    ],
  },
  responses: {
    end: ["completed", "completed"],
    whole: {
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "Look outside." }] },
        { type: "message", content: [{ type: "output_text", text: "It rains." }] },
        { type: "function_call", name: "get_weather", arguments: '{"city":"Ulm"}' },
      ],
    },
    events: [
      { type: "response.created", response: { status: "in_progress" } },
      { type: "response.output_item.added", item: { type: "reasoning" } },
      { type: "response.reasoning_summary_text.delta", delta: "Look outside." },
      { type: "response.output_item.added", item: { type: "message" } },
      { type: "response.output_text.delta", delta: "It rains." },
      { type: "response.output_text.done", text: "It rains." },
      { type: "response.output_item.added", item: { type: "function_call", name: "get_weather" } },
      { type: "response.function_call_arguments.delta", delta: '{"city":"Ulm"}' },
      { type: "response.completed", response: { status: "completed" } },
    ],
  },
  messages: {
    end: ["tool_use", "tool_use"],
    whole: {
      content: [
        { type: "thinking", thinking: "Look outside.", signature: "s" },
        { type: "text", text: "It rains." },
        { type: "tool_use", id: "c", name: "get_weather", input: { city: "Ulm" } },
      ],
      stop_reason: "tool_use",
    },
    events: [
      { type: "message_start", message: { content: [] } },
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Look outside." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "It rains." } },
      { type: "content_block_start", index: 2, content_block: { type: "tool_use", name: "get_weather", input: {} } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"city":"Ulm"}' } },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ],
  },
};

test.each(Object.entries(ANSWERS))(
  "a response of %s reads the same whole and streamed",
  (shape, { end, whole, events }) => {
    const reader = READERS[shape as Shape];
    expect(reader.whole(whole)).toEqual({ ...SAID, end: end[0] });
    expect(events.reduce(reader.event, NO_RESPONSE)).toEqual({ ...SAID, end: end[1] });
  },
);

test.each<[Shape, object]>([
  ["chat-completions", { error: { message: "it broke" } }],
  ["responses", { type: "response.failed", response: { error: { message: "it broke" } } }],
  ["messages", { type: "error", error: { type: "api_error", message: "it broke" } }],
])("an error in a stream of %s is said, and what came before stays", (shape, event) => {
  expect(READERS[shape].event({ ...NO_RESPONSE, text: "so far" }, event)).toMatchObject({
    text: "so far",
    error: "it broke",
  });
});

test.each(Object.keys(ANSWERS))("whatever arrives in place of a response of %s, nothing throws", (shape) => {
  const { whole, event } = READERS[shape as Shape];
  for (const odd of [
    null,
    undefined,
    7,
    "x",
    [],
    {},
    { choices: [null] },
    { choices: [{ message: null, delta: null }] },
    { output: [null] },
    { content: [null] },
  ]) {
    expect(whole(odd)).toMatchObject({ text: "" });
    expect(event(NO_RESPONSE, odd)).toMatchObject({ text: "" });
  }
});

test("events are the same wherever their stream is cut", async () => {
  const text =
    'event: a\r\ndata: {"n":1}\r\n\r\n: comment\n\ndata: {"t":"ü€"}\n\ndata: {"two":\ndata: 2}\n\ndata: [DONE]\n\ndata: {"last":true}';
  const bytes = new TextEncoder().encode(text);
  for (let cut = 0; cut <= bytes.byteLength; cut++) {
    const parts = [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ byteLength }) => byteLength > 0);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    const read = await Array.fromAsync(serverEvents(stream));
    expect(read).toEqual([{ n: 1 }, { t: "ü€" }, { two: 2 }, { last: true }]);
  }
});
