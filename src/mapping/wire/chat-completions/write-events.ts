import type { Json, Piece, Reply, SentEvent, State, Usage } from "../../../plugin-host/contract.ts";
import type { JsonObject } from "../../json.ts";
import { addressOf } from "../../translate/source.ts";
import { writeError } from "../openai-errors.ts";
import { finishWord, writeCitation, writeImage, writeUsage } from "./answer.ts";
import { writeDetails, writeSignature } from "./reasoning.ts";

interface WritingState {
  /** Choices whose first delta, with the role, was sent. */
  begun?: Set<number>;
  /** Number of calls per choice, which is the next call's index. */
  calls?: Map<number, number>;
  /** Number of reasoning parts so far. */
  thoughts?: number;
  /** Text parts by number, and the last one of each choice: sources may follow the end of their text. */
  texts?: Map<number, PlacedText>;
  lastTexts?: Map<number, PlacedText>;
  open?: { readonly kind: "call" | "thought" | "other"; readonly part: number; said: boolean };
  usage?: Usage;
}

interface PlacedText {
  /** Where it begins in the content. */
  readonly from: number;
  length: number;
}

/** The chunks for one piece. */
export function writeEvents(state: WritingState, piece: Piece, reply: Reply): readonly SentEvent[] {
  const { wants } = reply.prompt;
  if (piece.type === "error") return [{ data: writeError(piece.error) }];
  if (piece.type === "usage") {
    state.usage = { ...state.usage, ...piece.usage };
    return [];
  }
  if (piece.type === "end") {
    const usage = wants.usage === true ? [chunk(reply, [], writeUsage(state.usage ?? {}))] : [];
    return [...usage, { data: "[DONE]" }];
  }
  if (piece.type === "start") return begin(state, 0, reply);
  const choice = piece.choice ?? 0;
  const begun = begin(state, choice, reply);
  const delta = (members: JsonObject) =>
    chunk(reply, [{ index: choice, delta: members, logprobs: null, finish_reason: null }]);
  if (piece.type === "finish") {
    const finish_reason = finishWord(piece.finish, wants.legacyFunctions);
    return [...begun, chunk(reply, [{ index: choice, delta: {}, logprobs: null, finish_reason }])];
  }
  if (piece.type === "logprobs")
    return [...begun, chunk(reply, [{ index: choice, delta: {}, logprobs: piece.logprobs, finish_reason: null }])];
  return [...begun, ...deltas(state, piece, reply).map(delta)];
}

function begin(state: WritingState, choice: number, reply: Reply): readonly SentEvent[] {
  state.begun ??= new Set();
  if (state.begun.has(choice)) return [];
  state.begun.add(choice);
  const first = { role: "assistant", content: "" };
  return [chunk(reply, [{ index: choice, delta: first, logprobs: null, finish_reason: null }])];
}

/** `id`, `created` and `model` are the same in all chunks; `usage` is null until the last one, if requested. */
function chunk({ id, created, model, prompt }: Reply, choices: readonly Json[], usage: Json = null): SentEvent {
  const head = { id, object: "chat.completion.chunk", created, model, choices };
  return { data: prompt.wants.usage === true ? { ...head, usage } : head };
}

type PartPiece = Exclude<Piece, { type: "start" | "usage" | "end" | "error" | "finish" | "logprobs" }>;

function deltas(state: WritingState, piece: PartPiece, reply: Reply): readonly JsonObject[] {
  const { wants } = reply.prompt;
  const isOpen = state.open?.part === piece.part && piece.type !== "call";
  if (!isOpen && piece.type !== "citation") open(state, piece);
  switch (piece.type) {
    case "text":
      textOf(state, piece).length += piece.text.length;
      return [{ content: piece.text }];
    case "refusal":
      return [{ refusal: piece.text }];
    case "citation":
      return [{ annotations: [writeCitation(piece.citation, textOf(state, piece))] }];
    case "reasoning":
      return wants.reasoning === false ? [] : [{ reasoning_content: piece.text }];
    case "image":
      return [{ images: [writeImage(addressOf(piece.image.source))] }];
    case "call": {
      const { id, name, custom } = piece.call;
      if (wants.legacyFunctions === true) return [{ function_call: { name, arguments: "" } }];
      const inner = custom
        ? { type: "custom", custom: { name, input: "" } }
        : { type: "function", function: { name, arguments: "" } };
      const signed = piece.call.state === undefined ? {} : { extra_content: writeSignature(piece.call.state) };
      return [callDelta(state, piece, { id, ...inner, ...signed })];
    }
    case "arguments":
      state.open!.said = true;
      return [argumentsDelta(state, piece, piece.text, wants.legacyFunctions)];
    case "state":
      return [writeState(state, piece, piece.state)];
    case "close":
      return closed(state, piece, wants.legacyFunctions);
    case "hosted":
      return [];
  }
}

function textOf(state: WritingState, { part, choice = 0 }: PartPiece) {
  state.texts ??= new Map();
  const known = state.texts.get(part);
  if (known !== undefined) return known;
  state.lastTexts ??= new Map();
  const last = state.lastTexts.get(choice);
  const text = { from: last === undefined ? 0 : last.from + last.length, length: 0 };
  state.texts.set(part, text);
  state.lastTexts.set(choice, text);
  return text;
}

function open(state: WritingState, piece: PartPiece): void {
  const kind =
    piece.type === "call" ? "call" : piece.type === "reasoning" || piece.type === "state" ? "thought" : "other";
  state.open = { kind, part: piece.part, said: false };
  if (kind === "thought") state.thoughts = (state.thoughts ?? -1) + 1;
  if (kind !== "call") return;
  state.calls ??= new Map();
  state.calls.set(piece.choice ?? 0, (state.calls.get(piece.choice ?? 0) ?? -1) + 1);
}

const callDelta = (state: WritingState, { choice = 0 }: PartPiece, members: JsonObject): JsonObject => ({
  tool_calls: [{ index: state.calls?.get(choice) ?? 0, ...members }],
});

function argumentsDelta(state: WritingState, piece: PartPiece, text: string, legacy: boolean | undefined): JsonObject {
  return legacy === true
    ? { function_call: { arguments: text } }
    : callDelta(state, piece, { function: { arguments: text } });
}

/** The signature of reasoning goes into its own entry, with the same index; the signature of a call on the call. */
function writeState(state: WritingState, piece: PartPiece, own: State): JsonObject {
  if (state.open?.kind === "call") return callDelta(state, piece, { extra_content: writeSignature(own) });
  return { reasoning_details: writeDetails({ text: "", state: own }, state.thoughts ?? 0, false) };
}

/** A call without arguments gets an empty object. */
function closed(state: WritingState, piece: PartPiece, legacy: boolean | undefined): readonly JsonObject[] {
  const empty = state.open?.kind === "call" && !state.open.said;
  delete state.open;
  return empty ? [argumentsDelta(state, piece, "{}", legacy)] : [];
}

/** For clients of chat completions, any byte keeps the connection alive. */
export const keepAlive = (): SentEvent => ({ comment: "keep-alive" });
