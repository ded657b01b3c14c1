import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PieceFold } from "../../../src/mapping/translate/pieces.ts";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import { StreamTranslation } from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json, Piece, SentEvent, Shape, StreamEvent } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { chatGrammar, type Grammar, messagesGrammar, parsed, responsesGrammar } from "./grammar.ts";
import { chatCall, chatChunk } from "./translation.ts";

/** Calls whose chunks come by turns, as some providers send parallel calls: 0, 1, 0, 1. */

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  "chat-completions": chatGrammar,
  messages: messagesGrammar,
  responses: responsesGrammar,
};

/** How a provider writes a call of its stream, piece by piece, and what is around them. */
interface Stream {
  readonly first: readonly StreamEvent[];
  readonly begin: (index: number) => StreamEvent;
  readonly more: (index: number, text: string) => StreamEvent;
  /** Some providers say that a call is complete. */
  readonly stop?: (index: number) => StreamEvent;
  readonly last: readonly StreamEvent[];
}

const id = (index: number) => `id_${index}`;
const name = (index: number) => `tool_${index}`;
const typed = (data: Json): StreamEvent => ({ name: data.type, data });
const STREAMS: Readonly<Record<string, Stream>> = {
  "chat-completions": {
    first: [{ data: chatChunk({ role: "assistant", content: "" }) }],
    begin: (index) => ({
      data: chatCall(index, { id: id(index), type: "function", function: { name: name(index), arguments: "" } }),
    }),
    more: (index, text) => ({ data: chatCall(index, { function: { arguments: text } }) }),
    last: [{ data: chatChunk({}, "tool_calls") }, { data: "[DONE]" }],
  },
  messages: {
    first: [typed({ type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 1 } } })],
    begin: (index) =>
      typed({
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: id(index), name: name(index), input: {} },
      }),
    more: (index, text) =>
      typed({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: text } }),
    stop: (index) => typed({ type: "content_block_stop", index }),
    last: [
      typed({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } }),
      typed({ type: "message_stop" }),
    ],
  },
  responses: {
    first: [typed({ type: "response.created", response: { id: "r", model: "g" } })],
    begin: (index) =>
      typed({
        type: "response.output_item.added",
        output_index: index,
        item: { type: "function_call", id: `fc_${index}`, call_id: id(index), name: name(index), arguments: "" },
      }),
    more: (index, delta) =>
      typed({ type: "response.function_call_arguments.delta", output_index: index, item_id: `fc_${index}`, delta }),
    last: [typed({ type: "response.completed", response: { id: "r", status: "completed", output: [] } })],
  },
  converse: {
    first: [{ name: "messageStart", data: { role: "assistant" } }],
    begin: (index) => ({
      name: "contentBlockStart",
      data: { contentBlockIndex: index, start: { toolUse: { toolUseId: id(index), name: name(index) } } },
    }),
    more: (index, input) => ({
      name: "contentBlockDelta",
      data: { contentBlockIndex: index, delta: { toolUse: { input } } },
    }),
    stop: (index) => ({ name: "contentBlockStop", data: { contentBlockIndex: index } }),
    last: [{ name: "messageStop", data: { stopReason: "tool_use" } }],
  },
  "cohere-chat": {
    first: [typed({ type: "message-start", id: "m" })],
    begin: (index) =>
      typed({
        type: "tool-call-start",
        index,
        delta: {
          message: { tool_calls: { id: id(index), type: "function", function: { name: name(index), arguments: "" } } },
        },
      }),
    more: (index, text) =>
      typed({ type: "tool-call-delta", index, delta: { message: { tool_calls: { function: { arguments: text } } } } }),
    stop: (index) => typed({ type: "tool-call-end", index }),
    last: [typed({ type: "message-end", delta: { finish_reason: "TOOL_CALL" } })],
  },
};

/** Arguments in pieces; an empty list is a call without any. */
const pieces = fc.constantFrom<string[]>(
  [],
  ["{}"],
  ['{"city":', '"Oslo"}'],
  ['{"a"', ":[1,", '{"b":"}"}', "]}"],
  ["{", '"t":"', "ü✓\\n", '"', "}"],
);
/** Calls, and the order in which their pieces come: each number takes one of the pieces that are left. */
const woven = fc.record({
  calls: fc.array(pieces, { minLength: 2, maxLength: 4 }),
  order: fc.array(fc.nat({ max: 97 }), { minLength: 24, maxLength: 24 }),
  stops: fc.boolean(),
});

function eventsOf(
  { first, begin, more, stop, last }: Stream,
  { calls, order, stops }: { calls: string[][]; order: number[]; stops: boolean },
) {
  const queues = calls.map((texts, index) => [
    begin(index),
    ...texts.map((text) => more(index, text)),
    ...(stop === undefined || !stops ? [] : [stop(index)]),
  ]);
  const events = [...first];
  // Calls begin in order, whatever else is woven.
  let begun = 0;
  for (let at = 0; queues.some((queue) => queue.length > 0); at++) {
    const open = queues.flatMap((queue, index) => (queue.length > 0 && index <= begun ? [index] : []));
    const index = open[(order[at % order.length]! + at) % open.length]!;
    if (index === begun) begun++;
    events.push(queues[index]!.shift()!);
  }
  return [...events, ...last];
}

const wanted = (calls: string[][]) =>
  calls.map((texts, index) => [id(index), name(index), JSON.parse(texts.join("") || "{}")]);

function translated(from: Shape, to: Shape, events: readonly StreamEvent[]): readonly SentEvent[] {
  const prompt = to.readRequest!({
    model: "m",
    max_tokens: 9,
    stream: true,
    input: "Hi",
    messages: [{ role: "user", content: "Hi" }],
  });
  const reply = { id: "reply-1", model: "m", created: 1_700_000_000, prompt };
  const stream = new StreamTranslation({ from, to, names: new ToolNames(undefined), issuer: "acme", reply });
  return [...events.flatMap((event) => stream.event(event)), ...stream.close()];
}

/** What a client has at the end, by the reader of its own API. */
function callsIn(to: Shape, sent: readonly SentEvent[]) {
  const [state, fold] = [{}, new PieceFold()];
  for (const event of parsed(sent)) for (const piece of to.readEvent(state, event)) fold.take(piece as Piece);
  return fold
    .answer()
    .choices[0]!.parts.flatMap((part) =>
      part.type === "call" ? [[part.id, part.name, JSON.parse(part.arguments || "{}")]] : [],
    );
}

describe.each(Object.keys(STREAMS))("parallel calls of %s, woven", (from) => {
  test.each(Object.keys(GRAMMARS))("are whole and in order for a client of %s", (to) => {
    assertProperty(
      fc.property(woven, (weave) => {
        const sent = translated(SHAPES[from]!, SHAPES[to]!, eventsOf(STREAMS[from]!, weave));
        expect(GRAMMARS[to]!(sent)).toBeUndefined();
        expect(callsIn(SHAPES[to]!, sent)).toEqual(wanted(weave.calls));
      }),
      { numRuns: 60 },
    );
  });
});

test.each(Object.keys(GRAMMARS))("strictly by turns, each chunk of one letter: %s", (to) => {
  const texts = ['{"city":"Oslo"}', '{"city":"Rome"}'];
  const { first, begin, more, last } = STREAMS["chat-completions"]!;
  const byTurns = [...texts[0]!].flatMap((letter, at) => [more(0, letter), more(1, texts[1]![at]!)]);
  const sent = translated(SHAPES["chat-completions"]!, SHAPES[to]!, [
    ...first,
    begin(0),
    begin(1),
    ...byTurns,
    ...last,
  ]);
  expect(GRAMMARS[to]!(sent)).toBeUndefined();
  expect(callsIn(SHAPES[to]!, sent)).toEqual(wanted(texts.map((text) => [text])));
});

test("a part that changes its kind ends its block first", () => {
  const { writeEvents, readRequest } = SHAPES.messages!;
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const prompt = readRequest!({ max_tokens: 9_000, thinking, messages: [{ role: "user", content: "Hi" }] });
  const reply = { id: "reply-1", model: "m", created: 1, prompt };
  const state = {};
  const list: Piece[] = [
    { type: "reasoning", part: 0, text: "Hm." },
    { type: "text", part: 0, text: "Yes." },
    { type: "close", part: 0 },
    { type: "finish", finish: "end" },
    { type: "end" },
  ];
  const sent = list.flatMap((piece) => writeEvents!(state, piece, reply));
  expect(messagesGrammar(sent)).toBeUndefined();
});
