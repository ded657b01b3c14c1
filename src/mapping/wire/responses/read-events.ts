import type { Json, Piece, StreamEvent } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, textOf } from "../../json.ts";
import { readError } from "../openai-errors.ts";
import { readOpenAi } from "../openai-reading.ts";
import { finishOf, readCitation, readImage } from "./answer.ts";
import { PARAGRAPH, readCall, readReasoning, reasoningState } from "./items.ts";

interface ReadingState {
  started?: true;
  parts?: number;
  /** Parts by the position of their item and content. */
  known?: Map<string, number>;
  /** Parts that have had deltas. */
  said?: Set<number>;
  /** Texts that have had deltas, by their position. */
  heard?: Set<string>;
  /** Finished items: some providers send an end without a beginning; none sends it twice. */
  ended?: Set<Json>;
}

type EventReader = (state: ReadingState, data: JsonObject) => readonly Piece[];

/** The pieces in one event. */
export function readEvent(state: ReadingState, { name, data }: StreamEvent): readonly Piece[] {
  if (!isObject(data)) return [];
  const type = textOf(data.type) ?? name ?? "";
  if (Object.hasOwn(EVENTS, type)) return EVENTS[type]!(state, data);
  return isObject(data.error) ? [{ type: "error", error: readError(0, data) }] : [];
}

function start(state: ReadingState, { response }: JsonObject): readonly Piece[] {
  if (state.started) return [];
  state.started = true;
  const id = filledText(response?.id);
  const model = filledText(response?.model);
  return [{ type: "start", ...(id && { id }), ...(model && { model }) }];
}

function over(state: ReadingState, data: JsonObject): readonly Piece[] {
  const { usage } = readOpenAi(data.response);
  const finish: Piece = { type: "finish", finish: finishOf(data.response) };
  const begun = start(state, data);
  // Some streams have all content in their last event.
  const output: readonly Json[] = state.parts === undefined ? listOf(data.response?.output) : [];
  return [
    ...begun,
    ...output.flatMap((item, output_index) => done(state, { output_index, item })),
    finish,
    ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
    { type: "end" },
  ];
}

const EVENTS: Readonly<Record<string, EventReader>> = {
  "response.created": start,
  "response.queued": start,
  "response.in_progress": start,
  "response.completed": over,
  "response.incomplete": over,
  "response.done": over,
  "response.failed": (_state, { response }) => [{ type: "error", error: readError(0, response) }],
  "response.cancelled": (_state, { response }) => [{ type: "error", error: readError(0, response) }],
  error: (_state, data) => [{ type: "error", error: readError(0, isObject(data.error) ? data : { error: data }) }],
  "response.output_item.added": (state, { output_index: index, item }) =>
    isCall(item) ? begin(state, index, item) : [],
  "response.output_text.delta": (state, data) => [...said("text", state, data), ...logprobsIn(data)],
  "response.refusal.delta": (state, data) => said("refusal", state, data),
  "response.reasoning_summary_text.delta": (state, data) => said("reasoning", state, data),
  "response.reasoning_text.delta": (state, data) => said("reasoning", state, data),
  "response.output_text.annotation.added": (state, data) =>
    readCitation(data.annotation).map((citation) => ({ type: "citation", part: contentPart(state, data), citation })),
  "response.output_text.done": (state, { text, ...data }) => unsaid("text", state, data, text),
  "response.refusal.done": (state, { refusal, ...data }) => unsaid("refusal", state, data, refusal),
  "response.reasoning_summary_text.done": (state, { text, ...data }) => unsaid("reasoning", state, data, text),
  "response.reasoning_text.done": (state, { text, ...data }) => unsaid("reasoning", state, data, text),
  "response.content_part.done": (state, { part, ...data }) => {
    const missing =
      part?.type === "refusal"
        ? unsaid("refusal", state, data, part.refusal)
        : unsaid("text", state, data, part?.type === "output_text" ? part.text : undefined);
    const place = known(state).get(contentKey(data));
    return place === undefined ? missing : [...missing, { type: "close", part: place }];
  },
  "response.function_call_arguments.done": (state, { arguments: delta, ...data }) => unargued(state, data, delta),
  "response.custom_tool_call_input.done": (state, { input: delta, ...data }) => unargued(state, data, delta),
  "response.function_call_arguments.delta": argued,
  "response.custom_tool_call_input.delta": argued,
  "response.output_item.done": done,
};

const isCall = (item: Json) => item?.type === "function_call" || item?.type === "custom_tool_call";

function known(state: ReadingState): Map<string, number> {
  state.known ??= new Map();
  return state.known;
}

function saidParts(state: ReadingState): Set<number> {
  state.said ??= new Set();
  return state.said;
}

function partAt(state: ReadingState, key: string): number {
  let part = known(state).get(key);
  if (part === undefined) {
    part = state.parts ?? 0;
    state.parts = part + 1;
    known(state).set(key, part);
  }
  return part;
}

/** Each text of an item is a separate part; its reasoning is one part. */
const contentKey = ({ output_index, content_index }: JsonObject) => `${output_index}.${content_index ?? 0}`;
const contentPart = (state: ReadingState, data: JsonObject) => partAt(state, contentKey(data));
const itemKey = (index: Json) => `${index}.item`;

type Words = "text" | "refusal" | "reasoning";

/** The position of a text: an item's reasoning is one part made of several texts. */
const textKey = (type: Words, data: JsonObject) =>
  type === "reasoning" ? `${data.output_index} ${data.summary_index ?? data.content_index ?? 0}` : contentKey(data);

function said(type: Words, state: ReadingState, data: JsonObject): readonly Piece[] {
  const delta = filledText(data.delta);
  if (delta === undefined) return [];
  const part = type === "reasoning" ? partAt(state, itemKey(data.output_index)) : contentPart(state, data);
  state.heard ??= new Set();
  const key = textKey(type, data);
  const isNext = type === "reasoning" && !state.heard.has(key) && saidParts(state).has(part);
  state.heard.add(key);
  saidParts(state).add(part);
  return [{ type, part, text: isNext ? PARAGRAPH + delta : delta }];
}

/** Emits a complete text that had no deltas. */
function unsaid(type: Words, state: ReadingState, data: JsonObject, delta: Json): readonly Piece[] {
  return state.heard?.has(textKey(type, data)) ? [] : said(type, state, { ...data, delta });
}

function unargued(state: ReadingState, data: JsonObject, delta: Json): readonly Piece[] {
  const part = known(state).get(itemKey(data.output_index));
  return part === undefined || saidParts(state).has(part) ? [] : argued(state, { ...data, delta });
}

const logprobsIn = ({ logprobs }: JsonObject): readonly Piece[] =>
  Array.isArray(logprobs) && logprobs.length > 0 ? [{ type: "logprobs", logprobs: { content: logprobs } }] : [];

function begin(state: ReadingState, index: Json, item: JsonObject): readonly Piece[] {
  const key = itemKey(index);
  if (known(state).has(key)) return [];
  return [{ type: "call", part: partAt(state, key), call: { ...readCall(item), arguments: "" } }];
}

function argued(state: ReadingState, data: JsonObject): readonly Piece[] {
  const part = known(state).get(itemKey(data.output_index));
  const text = filledText(data.delta);
  if (part === undefined || text === undefined) return [];
  saidParts(state).add(part);
  return [{ type: "arguments", part, text }];
}

/** A complete item: emits the parts that had no deltas. */
function done(state: ReadingState, { output_index: index, item }: JsonObject): readonly Piece[] {
  state.ended ??= new Set();
  if (!isObject(item) || state.ended.has(index)) return [];
  state.ended.add(index);
  if (item.type === "message") return doneMessage(state, index, item);
  if (item.type === "reasoning") return doneReasoning(state, index, item);
  if (isCall(item)) return doneCall(state, index, item);
  const part = partAt(state, itemKey(index));
  const image = item.type === "image_generation_call" ? readImage(item) : undefined;
  if (image !== undefined)
    return [
      { type: "image", part, image },
      { type: "close", part },
    ];
  return [
    { type: "hosted", part, hosted: { type: "hosted", shape: "responses", item } },
    { type: "close", part },
  ];
}

function doneMessage(state: ReadingState, output_index: Json, { content }: JsonObject): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const [content_index, each] of (Array.isArray(content) ? content : []).entries()) {
    const part = contentPart(state, { output_index, content_index });
    if (!saidParts(state).has(part)) {
      if (filledText(each?.text) !== undefined) pieces.push({ type: "text", part, text: each.text });
      if (filledText(each?.refusal) !== undefined) pieces.push({ type: "refusal", part, text: each.refusal });
    }
    pieces.push({ type: "close", part });
  }
  return pieces;
}

function doneReasoning(state: ReadingState, index: Json, item: JsonObject): readonly Piece[] {
  const part = partAt(state, itemKey(index));
  const own = reasoningState(item);
  const { text } = readReasoning(item);
  const pieces: Piece[] = [];
  if (!saidParts(state).has(part) && (text !== "" || own === undefined)) pieces.push({ type: "reasoning", part, text });
  if (own !== undefined) pieces.push({ type: "state", part, state: own });
  return [...pieces, { type: "close", part }];
}

function doneCall(state: ReadingState, index: Json, item: JsonObject): readonly Piece[] {
  const begun = begin(state, index, item);
  const part = partAt(state, itemKey(index));
  const { arguments: text } = readCall(item);
  const missing: Piece[] = saidParts(state).has(part) || text === "" ? [] : [{ type: "arguments", part, text }];
  return [...begun, ...missing, { type: "close", part }];
}
