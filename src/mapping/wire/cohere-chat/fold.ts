import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import { assignMembers, isObject, type JsonObject, listOf, mergeMembers, textOf } from "../../json.ts";
import { grown, inOrder } from "../pieces.ts";

/** Folds a Cohere stream: events have `type` in version 2, `event_type` in version 1. */
export function foldCohere(events: readonly StreamEvent[]): Json {
  const first = events.find(({ data }) => isObject(data))?.data;
  if (first === undefined) return undefined;
  return typeof first.event_type === "string" || "is_finished" in first ? foldVersion1(events) : foldVersion2(events);
}

/** The last event repeats the complete response; if it is missing, the pieces of text are used. */
function foldVersion1(events: readonly StreamEvent[]): Json {
  const whole: JsonObject = {};
  const citations: Json[] = [];
  let text = "";
  for (const { data } of events) {
    if (!isObject(data)) continue;
    if (typeof data.generation_id === "string") whole.generation_id = data.generation_id;
    if (typeof data.text === "string" && data.event_type !== "stream-end") text += data.text;
    if (data.event_type === "citation-generation")
      for (const citation of listOf(data.citations)) citations.push(citation);
    if (data.event_type === "tool-calls-generation") whole.tool_calls = data.tool_calls;
    if (isObject(data.response)) mergeMembers(whole, data.response);
    if (data.finish_reason !== undefined) whole.finish_reason = data.finish_reason;
  }
  if (citations.length > 0 && whole.citations === undefined) whole.citations = citations;
  if (whole.text === undefined && whole.generations === undefined) whole.text = text;
  return whole;
}

function foldVersion2(events: readonly StreamEvent[]): Json {
  const whole: JsonObject = {};
  const message: JsonObject = { role: "assistant" };
  const content = new Map<number, JsonObject>();
  const calls = new Map<number, JsonObject>();
  const citations: Json[] = [];
  for (const { data } of events) {
    if (!isObject(data)) continue;
    const piece = data.delta?.message;
    const index = typeof data.index === "number" ? data.index : 0;
    const type = textOf(data.type);
    if (type === "message-start") {
      if (data.id !== undefined) whole.id = data.id;
      if (isObject(piece)) message.role = piece.role ?? "assistant";
    } else if (type === "content-start" || type === "content-delta") growContent(content, index, piece?.content);
    else if (type === "tool-plan-delta") message.tool_plan = grown(message.tool_plan, piece?.tool_plan);
    else if (type === "tool-call-start" || type === "tool-call-delta") growCall(calls, index, piece?.tool_calls);
    else if (type === "citation-start") citations.push(piece?.citations);
    else if (type === "message-end") mergeMembers(whole, data.delta);
    else if (typeof data.message === "string") whole.error = { message: data.message };
  }
  const parts = inOrder(content);
  const called = inOrder(calls);
  if (citations.length > 0) message.citations = citations;
  whole.message = { ...message, content: parts, ...(called.length > 0 ? { tool_calls: called } : {}) };
  return whole;
}

function growContent(content: Map<number, JsonObject>, index: number, piece: Json): void {
  if (!isObject(piece)) return;
  const part = content.get(index) ?? { type: "text" };
  content.set(index, part);
  for (const [name, value] of Object.entries(piece)) {
    if (name === "type") part.type = value;
    else if (name === "text" || name === "thinking") part[name] = grown(part[name], value);
  }
}

function growCall(calls: Map<number, JsonObject>, index: number, piece: Json): void {
  if (!isObject(piece)) return;
  const call = calls.get(index) ?? {};
  calls.set(index, call);
  const { function: called, ...rest } = piece;
  mergeMembers(call, rest);
  if (!isObject(called)) return;
  call.function ??= {};
  assignMembers(call.function, { ...called, arguments: grown(call.function.arguments, called.arguments) });
}
