import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import { isObject, type JsonObject, mergeMembers } from "../json.ts";

/** For formats whose events are complete, or that have content only in the last one: later members win. */
export function lastWhole(events: readonly StreamEvent[]): Json {
  let whole: JsonObject | undefined;
  for (const { data } of events) if (isObject(data)) whole = mergeMembers(whole ?? {}, data);
  return whole;
}
