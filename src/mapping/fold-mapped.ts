import type { Json, StreamEvent } from "../plugin-host/contract.ts";
import { filledText, isObject, isText, type JsonObject, pickDefined } from "./json.ts";
import type { DeltaPlace, ReadingPlaces, StreamPlaces } from "./mapping.ts";
import { type Pointer, removeAt, setAt, valueAt, valuesAt } from "./pointer.ts";

/**
 * In a folded stream, joined pieces are at the place of the complete response's text; without one, at the place of the
 * pieces.
 */
export function withoutDeltas({ text, reasoning, ...rest }: StreamPlaces, response: ReadingPlaces): ReadingPlaces {
  return pickDefined({
    ...rest,
    text: target(text, response.text),
    reasoning: target(reasoning, response.reasoning, "/reasoning"),
  }) as ReadingPlaces;
}

function target(delta: DeltaPlace | undefined, whole: Pointer | undefined, own?: Pointer): Pointer | undefined {
  if (delta === undefined) return undefined;
  return whole ?? own ?? (delta.path === "" ? "/text" : delta.path);
}

/** A stream folded into the equivalent non-streamed object; `undefined` if no event has content. */
export function foldMapped(events: readonly StreamEvent[], stream: StreamPlaces, response: ReadingPlaces): Json {
  const merged = mergedEvents(events);
  const list = stream.tool_calls?.list;
  if (list !== undefined) {
    const found = events.flatMap(({ data }) => valuesAt(data, list)).flat();
    if (found.length > 0) setAt(merged, list.replace(/\/\*$/, ""), found);
  }
  const places = withoutDeltas(stream, response);
  const gathered = [
    { delta: stream.text, at: places.text },
    { delta: stream.reasoning, at: places.reasoning },
  ].flatMap(({ delta, at }) => {
    const text = delta === undefined ? undefined : deltaText(events, delta);
    return delta === undefined || at === undefined || text === undefined ? [] : [{ delta, at, text }];
  });
  for (const { delta, at } of gathered) {
    // The last piece and the event type are not part of the result.
    if (at !== delta.path) removeAt(merged, delta.path);
    if (delta.when !== undefined) removeAt(merged, delta.when.path);
  }
  for (const { at, text } of gathered) setAt(merged, at, text);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

/** All texts of a stream at one place, joined. */
export function deltaText(events: readonly StreamEvent[], { path, mode, event, when }: DeltaPlace): string | undefined {
  const pieces = events
    .filter(({ name, data }) => (event === undefined || name === event) && isWhen(data, when))
    .map(({ data }) => valuesAt(data, path).filter(isText).join(""))
    .filter((piece) => piece !== "");
  return filledText(mode === "replace" ? pieces.at(-1) : pieces.join(""));
}

const isWhen = (data: Json, when: DeltaPlace["when"]) => when === undefined || valueAt(data, when.path) === when.equals;

/** Objects nested deeper than this are replaced, not merged. */
const MERGE_DEPTH_MAX = 8;

/** All members of all events of a stream, merged; the last value of each wins. */
export function mergedEvents(events: readonly StreamEvent[]): JsonObject {
  const merged: JsonObject = {};
  for (const { data } of events) if (isObject(data)) mergeDeep(merged, data, 0);
  return merged;
}

function mergeDeep(into: JsonObject, from: JsonObject, depth: number): void {
  for (const [name, value] of Object.entries(from)) {
    if (name === "__proto__" || value === null) continue;
    const there = Object.hasOwn(into, name) ? into[name] : undefined;
    if (isObject(value) && depth < MERGE_DEPTH_MAX) {
      const target = isObject(there) ? there : {};
      into[name] = target;
      mergeDeep(target, value, depth + 1);
    } else into[name] = value;
  }
}
