import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import { isObject, type JsonObject, listOf, mergeMembers, textOf } from "../../json.ts";
import { inOrder } from "../pieces.ts";

/** Events that contain the complete response; the last one received is used. */
const WHOLE = /^response\.(created|queued|in_progress|completed|failed|incomplete|cancelled|done)$/;

/**
 * The final response of a stream of the responses API. The last event contains it completely; if the stream was cut off
 * earlier, or a provider omits the output there, the output is assembled from the other events.
 */
export function foldResponses(events: readonly StreamEvent[]): Json {
  let response: JsonObject | undefined;
  let error: Json;
  const items = new Map<number, JsonObject>();
  for (const { data, name } of events) {
    if (!isObject(data)) continue;
    const type = textOf(data.type) ?? name ?? "";
    if (WHOLE.test(type) && isObject(data.response)) response = mergeMembers(response ?? {}, data.response);
    else if (type === "error" || isObject(data.error)) error = isObject(data.error) ? data.error : data;
    else if (typeof data.output_index === "number") takeItemEvent(items, data.output_index, type, data);
    else if (data.object === "response") response = mergeMembers(response ?? {}, data);
  }
  if (response === undefined && items.size === 0) return error === undefined ? undefined : { error };
  const sent = listOf(response?.output);
  const built = inOrder(items);
  const folded: JsonObject = { object: "response", ...response, output: sent.length > 0 ? sent : built };
  if (error !== undefined && !isObject(folded.error)) folded.error = error;
  return folded;
}

function takeItemEvent(items: Map<number, JsonObject>, index: number, type: string, data: JsonObject): void {
  if (type === "response.output_item.added" || type === "response.output_item.done") {
    if (isObject(data.item)) items.set(index, ownItem(data.item));
    return;
  }
  let item = items.get(index);
  if (item === undefined) {
    item = {};
    items.set(index, item);
  }
  const place = PLACES.find(([prefix]) => type.startsWith(prefix));
  if (place !== undefined) place[1](item, data, type.endsWith(".delta"));
}

/** A deep copy down to the parts, which are extended in place. */
function ownItem(item: JsonObject): JsonObject {
  const own = { ...item };
  for (const list of ["content", "summary"]) if (Array.isArray(item[list])) own[list] = item[list].map(ownPart);
  return own;
}

function ownPart(part: Json): Json {
  if (!isObject(part)) return part;
  return Array.isArray(part.annotations) ? { ...part, annotations: [...part.annotations] } : { ...part };
}

type Placer = (item: JsonObject, data: JsonObject, isDelta: boolean) => void;

/** Joins pieces; the final event repeats the complete text. */
const member =
  (name: string, doneName: string): Placer =>
  (item, data, isDelta) => {
    const kept = textOf(item[name]) ?? "";
    item[name] = isDelta ? kept + (textOf(data.delta) ?? "") : (textOf(data[doneName]) ?? kept);
  };

/** A member of a part of the item's `content` or `summary`. */
const inPart =
  (list: "content" | "summary", indexName: string, partType: string, name: string): Placer =>
  (item, data, isDelta) => {
    const part = partAt(item, list, data[indexName], { type: partType });
    if (part !== undefined) member(name, name)(part, data, isDelta);
  };

const wholePart =
  (list: "content" | "summary", indexName: string): Placer =>
  (item, data) => {
    const part = partAt(item, list, data[indexName], {});
    if (part !== undefined && isObject(data.part)) mergeMembers(part, ownPart(data.part));
  };

/** The part at `index`; parts arrive in order, so an index beyond the next one is ignored. */
function partAt(item: JsonObject, list: string, index: Json, fresh: JsonObject): JsonObject | undefined {
  if (!Array.isArray(item[list])) item[list] = [];
  const parts: Json[] = item[list];
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index > parts.length) return undefined;
  if (!isObject(parts[index])) parts[index] = fresh;
  return parts[index];
}

const annotation: Placer = (item, data) => {
  const part = partAt(item, "content", data.content_index, { type: "output_text", text: "" });
  if (part === undefined) return;
  if (Array.isArray(part.annotations)) part.annotations.push(data.annotation);
  else part.annotations = [data.annotation];
};

const PLACES: readonly (readonly [string, Placer])[] = [
  ["response.output_text.annotation", annotation],
  ["response.output_text", inPart("content", "content_index", "output_text", "text")],
  ["response.refusal", inPart("content", "content_index", "refusal", "refusal")],
  ["response.reasoning_text", inPart("content", "content_index", "reasoning_text", "text")],
  ["response.reasoning_summary_text", inPart("summary", "summary_index", "summary_text", "text")],
  ["response.content_part", wholePart("content", "content_index")],
  ["response.reasoning_summary_part", wholePart("summary", "summary_index")],
  ["response.function_call_arguments", member("arguments", "arguments")],
  ["response.mcp_call_arguments", member("arguments", "arguments")],
  ["response.custom_tool_call_input", member("input", "input")],
  ["response.code_interpreter_call_code", member("code", "code")],
];
