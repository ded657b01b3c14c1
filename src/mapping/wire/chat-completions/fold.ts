import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import {
  assignMembers,
  filledText,
  isObject,
  type JsonObject,
  listOf,
  mergeMembers,
  pickDefined,
  setMember,
} from "../../json.ts";

/** Members of a chunk that a complete response does not have, or that are joined separately. */
const CHUNK_ONLY: ReadonlySet<string> = new Set(["choices", "object", "obfuscation", "p", "usage", "x_groq"]);

/** Members of a chunk's choice that are joined separately. */
const JOINED: ReadonlySet<string> = new Set(["index", "delta", "message", "text", "logprobs"]);

interface ChoiceState {
  readonly rest: JsonObject;
  readonly message: JsonObject;
  readonly calls: JsonObject[];
  /** The call to which later pieces with an index belong. */
  readonly openCalls: Map<Json, JsonObject>;
  text: string;
  /** Perplexity repeats the complete message beside an empty delta. */
  whole: Json;
}

/** Folds the chunks of a chat completion, choice by choice, into the object that OpenAI sends without streaming. */
export function foldChatCompletions(events: readonly StreamEvent[]): Json {
  if (typeof events[0]?.data?.response === "string") return foldWrapped(events);
  const top: JsonObject = {};
  const choices = new Map<number, ChoiceState>();
  let usage: JsonObject | undefined;
  let seen = false;
  for (const { data: chunk } of events) {
    if (!isObject(chunk)) continue;
    seen = true;
    mergeMembers(top, withoutEmpty(chunk), CHUNK_ONLY);
    if (isObject(chunk.x_groq)) top.x_groq = assignMembers(top.x_groq ?? {}, chunk.x_groq);
    const sent = isObject(chunk.usage) ? chunk.usage : chunk.x_groq?.usage;
    if (isObject(sent)) usage = mergeMembers(usage ?? {}, sent);
    for (const choice of listOf(chunk.choices)) if (isObject(choice)) takeChoice(choices, choice);
  }
  if (!seen) return undefined;
  return pickDefined({
    ...top,
    object: "chat.completion",
    choices: [...choices].sort(([a], [b]) => a - b).map(([index, state]) => finished(index, state)),
    usage,
  });
}

/** Workers AI streams bare pieces of text; without streaming it wraps the text in `result`. */
function foldWrapped(events: readonly StreamEvent[]): Json {
  const result: JsonObject = {};
  let text = "";
  for (const { data } of events) {
    if (!isObject(data)) continue;
    const { p: _padding, ...piece } = data;
    mergeMembers(result, piece);
    text += typeof piece.response === "string" ? piece.response : "";
  }
  return { result: { ...result, response: text } };
}

/** Azure's first chunk has an empty `id` and `model`, which must not replace missing values of later chunks. */
function withoutEmpty(chunk: JsonObject): JsonObject {
  return chunk.model === "" || chunk.id === "" || chunk.created === 0
    ? Object.fromEntries(Object.entries(chunk).filter(([, value]) => value !== "" && value !== 0))
    : chunk;
}

function takeChoice(choices: Map<number, ChoiceState>, choice: JsonObject): void {
  const index = typeof choice.index === "number" ? choice.index : 0;
  let state = choices.get(index);
  if (state === undefined) {
    state = { rest: {}, message: {}, calls: [], openCalls: new Map(), text: "", whole: undefined };
    choices.set(index, state);
  }
  const { delta, message, text, logprobs } = choice;
  mergeMembers(state.rest, choice, JOINED);
  if (isObject(logprobs)) state.rest.logprobs = growLogprobs(objectOr(state.rest.logprobs), logprobs);
  if (isObject(delta)) takeDelta(state, delta);
  else if (typeof text === "string") state.text += text;
  if (isObject(message)) state.whole = message;
}

/** Text members that arrive in pieces; others, such as a channel's name, are repeated in full. */
const PIECES: ReadonlySet<string> = new Set(["content", "refusal", "reasoning", "reasoning_content", "thinking"]);

function takeDelta(state: ChoiceState, delta: JsonObject): void {
  const { message } = state;
  for (const name in delta) {
    const value = delta[name];
    const kept = message[name];
    const isPiece = PIECES.has(name) && typeof kept === "string" && typeof value === "string";
    if (name === "tool_calls") for (const call of listOf(value)) takeCall(state, call);
    else if (name === "function_call") message.function_call = mergeFunction(objectOr(kept), value);
    else if (name === "audio") message.audio = mergeAudio(objectOr(kept), value);
    else if (Array.isArray(kept) || Array.isArray(value)) setMember(message, name, growList(kept, value));
    else if (isPiece) setMember(message, name, kept + value);
    else if (value !== null || kept === undefined) setMember(message, name, value);
  }
}
const objectOr = (value: Json): JsonObject => (isObject(value) ? value : {});

/**
 * Content may change from text to parts mid-stream, as Mistral's does around its reasoning. Lists of a message are always
 * our own copies, so they are extended in place.
 */
function growList(kept: Json, value: Json): Json {
  const list = Array.isArray(kept) ? kept : growParts([], partsIn(kept));
  return growParts(list, partsIn(value));
}
const partsIn = (content: Json): readonly Json[] =>
  typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : listOf(content);

/** Appends parts to a list; a part that continues the last one extends it. The kept parts are our own copies. */
function growParts(parts: Json[], added: readonly Json[]): Json[] {
  for (const part of added) {
    const last = parts.at(-1);
    if (!isObject(last) || !isObject(part) || !takesOn(last, part)) parts.push(ownPart(part));
  }
  return parts;
}

function ownPart(part: Json): Json {
  if (!isObject(part)) return part;
  return Array.isArray(part.thinking) ? { ...part, thinking: growParts([], part.thinking) } : { ...part };
}

/** Extends `last` by a part that continues it. @returns false if it does not. */
function takesOn(last: JsonObject, part: JsonObject): boolean {
  if (last.type === undefined || last.type !== part.type || last.index !== part.index) return false;
  for (const member of ["text", "summary", "data"]) {
    if (typeof last[member] !== "string" || typeof part[member] !== "string") continue;
    assignMembers(last, { ...part, [member]: last[member] + part[member] });
    return true;
  }
  if (!Array.isArray(last.thinking) || !Array.isArray(part.thinking)) return false;
  assignMembers(last, { ...part, thinking: growParts(last.thinking, part.thinking) });
  return true;
}

/**
 * Calls are counted per choice. Some providers send each call in one piece, all under index 0 or without an index: another
 * id with a name starts another call.
 */
function takeCall({ calls, openCalls }: ChoiceState, piece: Json): void {
  if (!isObject(piece)) return;
  const { index, function: called, custom, ...rest } = piece;
  const named = filledText(called?.name) ?? filledText(custom?.name);
  let call = openCalls.get(index);
  if (call === undefined || (named !== undefined && isAnotherCall(filledText(call.id), filledText(piece.id), index))) {
    call = {};
    calls.push(call);
    openCalls.set(index, call);
  }
  mergeMembers(call, rest);
  if (isObject(called)) call.function = mergeFunction(objectOr(call.function), called);
  if (isObject(custom)) call.custom = mergeFunction(objectOr(call.custom), custom);
}

export function isAnotherCall(knownId: string | undefined, id: string | undefined, index: Json): boolean {
  if (id === undefined) return index === undefined;
  return knownId !== undefined && knownId !== id;
}

/** @param kept - our own object; extended in place. */
function mergeFunction(kept: JsonObject, added: Json): JsonObject {
  if (!isObject(added)) return kept;
  for (const [name, value] of Object.entries(added)) {
    const pieces = (name === "arguments" || name === "input") && typeof kept[name] === "string";
    if (pieces && typeof value === "string") kept[name] += value;
    else if (value !== null && !(value === "" && filledText(kept[name]) !== undefined)) setMember(kept, name, value);
  }
  return kept;
}

/** @param kept - our own object; extended in place. */
function mergeAudio(kept: JsonObject, added: Json): JsonObject {
  if (!isObject(added)) return kept;
  const { data, transcript } = kept;
  assignMembers(kept, added);
  for (const [name, before] of [
    ["data", data],
    ["transcript", transcript],
  ] as const) {
    if (typeof before === "string") kept[name] = before + (typeof added[name] === "string" ? added[name] : "");
  }
  return kept;
}

/** Extends the lists inside log probabilities in place; legacy completions have several parallel lists. */
export function growLogprobs(kept: JsonObject, added: JsonObject): JsonObject {
  for (const [name, value] of Object.entries(added)) {
    if (!Array.isArray(value)) {
      if (value !== null || kept[name] === undefined) setMember(kept, name, value);
    } else if (Array.isArray(kept[name])) for (const item of value) kept[name].push(item);
    else setMember(kept, name, [...value]);
  }
  return kept;
}

function finished(index: number, { rest, message, calls, text, whole }: ChoiceState): Json {
  const said = Object.keys(message).length > 0 ? message : objectOr(whole);
  const content =
    filledText(said.content) === undefined && !Array.isArray(said.content) ? whole?.content : said.content;
  return {
    index,
    message: pickDefined({
      role: said.role ?? "assistant",
      ...said,
      content: content ?? (text === "" ? null : text),
      tool_calls: calls.length > 0 ? calls : said.tool_calls,
    }),
    ...rest,
  };
}
