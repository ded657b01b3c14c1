import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import { assignMembers, isObject, type JsonObject, listOf, mergeMembers, textOf } from "../../json.ts";
import { inOrder } from "../pieces.ts";
import { begunCall, continueCall, goesOn } from "./partial-args.ts";

const APART: ReadonlySet<string> = new Set(["candidates", "usageMetadata"]);

/**
 * Folds Gemini's chunks: each has the form of a complete response, with a part of the text. Counts are running totals; early
 * chunks may lack some.
 */
export function foldGenerateContent(events: readonly StreamEvent[]): Json {
  const top: JsonObject = {};
  const candidates = new Map<number, JsonObject>();
  let usage: JsonObject | undefined;
  let seen = false;
  for (const { data } of events) {
    if (!isObject(data)) continue;
    seen = true;
    mergeMembers(top, data, APART);
    if (isObject(data.usageMetadata)) usage = mergeMembers(usage ?? {}, data.usageMetadata);
    for (const candidate of listOf(data.candidates)) if (isObject(candidate)) takeCandidate(candidates, candidate);
  }
  if (!seen) return undefined;
  const merged = inOrder(candidates);
  const folded: JsonObject = merged.length > 0 ? { candidates: merged, ...top } : top;
  if (usage !== undefined) folded.usageMetadata = usage;
  return folded;
}

function takeCandidate(candidates: Map<number, JsonObject>, candidate: JsonObject): void {
  const index = typeof candidate.index === "number" ? candidate.index : 0;
  const known = candidates.get(index);
  const { content, ...rest } = candidate;
  if (known === undefined) {
    const parts = joinParts([], listOf(content?.parts));
    candidates.set(index, { content: { ...(isObject(content) ? content : { role: "model" }), parts }, ...rest });
    return;
  }
  known.content.parts = joinParts(known.content.parts, listOf(content?.parts));
  mergeMembers(known, rest);
}

/**
 * Text extends the last part, which is our own copy, if both are text or both are reasoning; all other parts are complete.
 */
function joinParts(parts: Json[], added: readonly Json[]): Json[] {
  for (const part of added) {
    const last = parts.at(-1);
    if (isObject(last) && isObject(part) && isMore(last, part)) {
      assignMembers(last, { ...part, text: last.text + part.text });
    } else if (goesOn(last) && isObject(part) && isObject(part.functionCall)) continueCall(last, part);
    else parts.push(isObject(part) ? begunCall(part) : part);
  }
  return parts;
}

function isMore(last: JsonObject, part: JsonObject): boolean {
  if (textOf(last.text) === undefined || textOf(part.text) === undefined) return false;
  return last.thought === part.thought && last.thoughtSignature === undefined;
}
