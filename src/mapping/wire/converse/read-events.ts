import type { Json, Piece, StreamEvent } from "../../../plugin-host/contract.ts";
import { isObject, type JsonObject, textOf } from "../../json.ts";
import { converseUsage } from "../../usage.ts";
import { callOf, citationOf, finishOf, imageOf, inputText, stateIn } from "./answer.ts";
import { EXCEPTION, readException } from "./errors.ts";

interface ReadingState {
  /** Signatures and redacted content, which arrive in pieces. */
  signed?: Map<number, { kind: "signature" | "redacted"; value: string }>;
}

type EventReader = (state: ReadingState, data: JsonObject) => readonly Piece[];

/** The pieces in one event; the name of its frame determines its type. */
export function readEvent(state: ReadingState, { name = "", data }: StreamEvent): readonly Piece[] {
  if (Object.hasOwn(EVENTS, name)) return isObject(data) ? EVENTS[name]!(state, data) : [];
  if (EXCEPTION.test(name)) return [{ type: "error", error: readException(name, data) }];
  return [];
}

const EVENTS: Readonly<Record<string, EventReader>> = {
  messageStart: () => [{ type: "start" }],
  contentBlockStart: (_state, { contentBlockIndex: part, start }) => {
    if (typeof part !== "number") return [];
    if (isObject(start?.toolUse)) return [{ type: "call", part, call: callOf(start.toolUse) }];
    const image = imageOf(start?.image);
    return image === undefined ? [] : [{ type: "image", part, image }];
  },
  contentBlockDelta: (state, { contentBlockIndex: part, delta }) =>
    typeof part === "number" && isObject(delta) ? grow(state, part, delta) : [],
  contentBlockStop: (state, { contentBlockIndex: part }) => {
    if (typeof part !== "number") return [];
    const signed = state.signed?.get(part);
    if (signed === undefined) return [{ type: "close", part }];
    return [
      { type: "state", part, state: { issuer: "anthropic", ...signed } },
      { type: "close", part },
    ];
  },
  messageStop: (_state, { stopReason }) => [{ type: "finish", finish: finishOf(stopReason) }],
  metadata: (_state, data) => {
    const usage = converseUsage(data.usage);
    return usage === undefined ? [] : [{ type: "usage", usage }];
  },
};

function grow(state: ReadingState, part: number, delta: JsonObject): readonly Piece[] {
  if (typeof delta.text === "string") return delta.text === "" ? [] : [{ type: "text", part, text: delta.text }];
  if (isObject(delta.toolUse)) {
    const text = inputText(delta.toolUse.input);
    return text === "" ? [] : [{ type: "arguments", part, text }];
  }
  if (isObject(delta.citation)) return [{ type: "citation", part, citation: citationOf(delta.citation) }];
  const image = imageOf(delta.image);
  if (image !== undefined) return [{ type: "image", part, image }];
  return isObject(delta.reasoningContent) ? think(state, part, delta.reasoningContent) : [];
}

function think(state: ReadingState, part: number, reasoning: Json): readonly Piece[] {
  const found = stateIn(reasoning);
  if (found !== undefined && found.kind !== "encrypted") {
    state.signed ??= new Map();
    const known = state.signed.get(part)?.value ?? "";
    state.signed.set(part, { kind: found.kind, value: known + found.value });
    return [];
  }
  const text = textOf(reasoning.text) ?? "";
  return text === "" ? [] : [{ type: "reasoning", part, text }];
}
