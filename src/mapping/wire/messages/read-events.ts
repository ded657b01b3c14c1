import type { CallPart, Citation, Json, Piece, StreamEvent } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, mergeMembers, parseJson, textOf } from "../../json.ts";
import { stateOf } from "../../translate/state.ts";
import { anthropicUsage } from "../../usage.ts";
import { EXCEPTION, readException } from "../converse/errors.ts";
import { citationOf, finishOf } from "./answer.ts";
import { MAKER } from "./blocks.ts";
import { readError } from "./errors.ts";
import { inputText } from "./read-request.ts";

interface ReadingState {
  /** The latest counts; a later value replaces an earlier one. */
  usage?: JsonObject;
  /** Blocks of tools that the provider runs, until they are complete. */
  hosted?: Map<number, { readonly block: JsonObject; json: string }>;
  /** Signatures, which also come in pieces. */
  signatures?: Map<number, string>;
  /** Sources of text blocks, until the block ends: they come before their text, and cover all of it. */
  citations?: Map<number, Citation[]>;
}

type EventReader = (state: ReadingState, data: JsonObject) => readonly Piece[];

/** The pieces in one event, or in an exception of Bedrock. Unknown events are ignored: Anthropic adds some from time to time. */
export function readEvent(state: ReadingState, { name, data }: StreamEvent): readonly Piece[] {
  if (!isObject(data)) return [];
  const type = textOf(data.type) ?? name ?? "";
  if (Object.hasOwn(EVENTS, type)) return EVENTS[type]!(state, data);
  if (isObject(data.error)) return EVENTS["error"]!(state, data);
  return EXCEPTION.test(type) ? [{ type: "error", error: readException(type, data) }] : [];
}

const EVENTS: Readonly<Record<string, EventReader>> = {
  message_start: (state, { message }) => {
    const usage = counted(state, message?.usage);
    const id = filledText(message?.id);
    const model = filledText(message?.model);
    return [{ type: "start", ...(id && { id }), ...(model && { model }), ...(usage && { usage }) }];
  },
  content_block_start: startBlock,
  content_block_delta: (state, { index, delta }) =>
    typeof index === "number" && isObject(delta) ? growBlock(state, index, delta) : [],
  content_block_stop: stopBlock,
  message_delta: (state, { delta, usage }) => {
    const pieces: Piece[] = [...(state.citations?.keys() ?? [])].flatMap((part) => citedIn(state, part));
    const counts = counted(state, usage);
    if (counts !== undefined) pieces.push({ type: "usage", usage: counts });
    if (typeof delta?.stop_reason !== "string") return pieces;
    const stopText = filledText(delta.stop_sequence);
    pieces.push({ type: "finish", finish: finishOf(delta.stop_reason), ...(stopText && { stopText }) });
    return pieces;
  },
  message_stop: () => [{ type: "end" }],
  error: (_state, data) => [{ type: "error", error: readError(0, data) }],
};

function counted(state: ReadingState, usage: Json) {
  if (!isObject(usage)) return undefined;
  state.usage = mergeMembers({ ...state.usage }, usage);
  return anthropicUsage(state.usage);
}

function startBlock(state: ReadingState, { index: part, content_block: block }: JsonObject): readonly Piece[] {
  if (typeof part !== "number" || !isObject(block)) return [];
  switch (block.type) {
    case "text":
      return filledText(block.text) === undefined ? [] : [{ type: "text", part, text: block.text }];
    case "thinking": {
      // A block that stays empty may still have a signature.
      const text = textOf(block.thinking) ?? "";
      const signature = filledText(block.signature);
      if (signature !== undefined) signaturesOf(state).set(part, signature);
      return [{ type: "reasoning", part, text }];
    }
    case "redacted_thinking":
      return [{ type: "state", part, state: stateOf(textOf(block.data) ?? "", MAKER, "redacted") }];
    case "tool_use": {
      const call: CallPart = {
        type: "call",
        id: textOf(block.id) ?? "",
        name: textOf(block.name) ?? "",
        arguments: "",
      };
      const text = isObject(block.input) && Object.keys(block.input).length === 0 ? "" : inputText(block.input);
      const begun: Piece = { type: "call", part, call };
      return text === "" ? [begun] : [begun, { type: "arguments", part, text }];
    }
    default:
      state.hosted ??= new Map();
      state.hosted.set(part, { block, json: "" });
      return [];
  }
}

function signaturesOf(state: ReadingState): Map<number, string> {
  state.signatures ??= new Map();
  return state.signatures;
}

function growBlock(state: ReadingState, part: number, delta: JsonObject): readonly Piece[] {
  switch (delta.type) {
    case "text_delta":
      return typeof delta.text === "string" ? [{ type: "text", part, text: delta.text }] : [];
    case "thinking_delta":
      return typeof delta.thinking === "string" ? [{ type: "reasoning", part, text: delta.thinking }] : [];
    case "signature_delta": {
      const signatures = signaturesOf(state);
      signatures.set(part, (signatures.get(part) ?? "") + (textOf(delta.signature) ?? ""));
      return [];
    }
    case "citations_delta":
      if (isObject(delta.citation)) cite(state, part, citationOf(delta.citation));
      return [];
    case "input_json_delta": {
      const text = textOf(delta.partial_json) ?? "";
      const hosted = state.hosted?.get(part);
      if (hosted !== undefined) hosted.json += text;
      return hosted !== undefined || text === "" ? [] : [{ type: "arguments", part, text }];
    }
    default:
      return [];
  }
}

function stopBlock(state: ReadingState, { index: part }: JsonObject): readonly Piece[] {
  if (typeof part !== "number") return [];
  const closed: Piece = { type: "close", part };
  const signature = state.signatures?.get(part);
  if (signature !== undefined && signature !== "")
    return [{ type: "state", part, state: stateOf(signature, MAKER, "signature") }, closed];
  const hosted = state.hosted?.get(part);
  if (hosted === undefined) return [...citedIn(state, part), closed];
  const item = hosted.json === "" ? hosted.block : { ...hosted.block, input: parseJson(hosted.json) ?? hosted.json };
  return [{ type: "hosted", part, hosted: { type: "hosted", shape: "messages", item } }, closed];
}

function cite(state: ReadingState, part: number, citation: Citation): void {
  state.citations ??= new Map();
  const known = state.citations.get(part);
  if (known === undefined) state.citations.set(part, [citation]);
  else known.push(citation);
}

function citedIn(state: ReadingState, part: number): readonly Piece[] {
  const cited = state.citations?.get(part) ?? [];
  state.citations?.delete(part);
  return cited.map((citation) => ({ type: "citation", part, citation }));
}
