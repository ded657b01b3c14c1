import type { Json, Piece, StreamEvent } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, textOf } from "../../json.ts";
import { cohereUsage } from "../../usage.ts";
import { argumentsText, callOf, citationOf, finishOf, logprobsOf } from "./answer.ts";
import { readError } from "./errors.ts";

interface ReadingState {
  id?: string;
  /** Numbers of parts: Cohere numbers content and calls separately. */
  parts?: Map<string, number>;
  /** The last text, to which sources belong. */
  text?: number;
}

/** Finish reasons that are failures. */
const FAILURES: ReadonlyMap<Json, string> = new Map([
  ["ERROR", "the provider reported that the generation failed"],
  ["TIMEOUT", "the provider reported that the generation took too long"],
]);

type EventReader = (state: ReadingState, data: JsonObject) => readonly Piece[];

/** The pieces in one event. */
export function readEvent(state: ReadingState, { name, data }: StreamEvent): readonly Piece[] {
  if (!isObject(data)) return [];
  const type = textOf(data.type) ?? name ?? "";
  if (Object.hasOwn(EVENTS, type)) return EVENTS[type]!(state, data);
  const isError = type === "error" || isObject(data.error) || (type === "" && filledText(data.message) !== undefined);
  return isError ? [{ type: "error", error: readError(0, data) }] : [];
}

function partOf(state: ReadingState, kind: string, { index }: JsonObject): number {
  state.parts ??= new Map();
  const key = `${kind} ${typeof index === "number" ? index : 0}`;
  const known = state.parts.get(key);
  if (known !== undefined) return known;
  const part = state.parts.size;
  state.parts.set(key, part);
  return part;
}

const contentPieces: EventReader = (state, data) => {
  const content = data.delta?.message?.content;
  const pieces: Piece[] = [];
  const thought = filledText(content?.thinking);
  const text = filledText(content?.text);
  if (thought !== undefined) pieces.push({ type: "reasoning", part: partOf(state, "thinking", data), text: thought });
  if (text !== undefined) {
    state.text = partOf(state, "text", data);
    pieces.push({ type: "text", part: state.text, text });
  }
  const logprobs = logprobsOf(data.logprobs);
  if (logprobs !== undefined) pieces.push({ type: "logprobs", logprobs });
  return pieces;
};

const argumentPieces: EventReader = (state, data) => {
  const text = argumentsText(callIn(data)?.function?.arguments);
  return text === "" ? [] : [{ type: "arguments", part: partOf(state, "call", data), text }];
};

/** A call is a single object, or in a list. */
function callIn({ delta }: JsonObject): Json {
  const calls = delta?.message?.tool_calls;
  return Array.isArray(calls) ? calls[0] : calls;
}

const EVENTS: Readonly<Record<string, EventReader>> = {
  "message-start": (state, { id }) => {
    const known = filledText(id);
    if (known === undefined) return [{ type: "start" }];
    state.id = known;
    return [{ type: "start", id: known }];
  },
  "content-start": contentPieces,
  "content-delta": contentPieces,
  "tool-plan-delta": (state, data) => {
    const text = filledText(data.delta?.message?.tool_plan);
    return text === undefined ? [] : [{ type: "reasoning", part: partOf(state, "plan", {}), text }];
  },
  "tool-call-start": (state, data) => {
    const part = partOf(state, "call", data);
    return [
      { type: "call", part, call: callOf(callIn(data), `${state.id ?? ""} ${part}`) },
      ...argumentPieces(state, data),
    ];
  },
  "tool-call-delta": argumentPieces,
  "tool-call-end": (state, data) => [{ type: "close", part: partOf(state, "call", data) }],
  "citation-start": (state, data) => {
    const citation = data.delta?.message?.citations;
    if (state.text === undefined || !isObject(citation)) return [];
    return [{ type: "citation", part: state.text, citation: citationOf(citation) }];
  },
  "message-end": (_state, { delta }) => {
    const usage = cohereUsage(delta?.usage);
    const failed = filledText(delta?.error) ?? FAILURES.get(delta?.finish_reason);
    if (failed !== undefined) return [{ type: "error", error: readError(0, { message: failed }) }];
    return [
      ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
      { type: "finish", finish: finishOf(delta?.finish_reason) },
      { type: "end" },
    ];
  },
};
