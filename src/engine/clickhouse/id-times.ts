import { timeOfUuid } from "../../runtime/uuid.ts";
import { ID_TIME_SLACK_MS } from "./tables.ts";

/** Maximum time steps in one statement; beyond that, the range between the first and the last id is searched. */
const STEPS_MAX = 6_000;

/**
 * SQL that is true at the creation times of records with these ids; undefined if no id contains a time. It is one list lookup
 * per row, where ranges would be compared one by one.
 */
export function nearIds(ids: readonly string[]): string | undefined {
  const own = ids.flatMap((id) => timeOfUuid(id) ?? []).map((time) => Math.floor(time / ID_TIME_SLACK_MS));
  if (own.length === 0) return undefined;
  const steps = new Set(own.flatMap((step) => [step - 1, step, step + 1]));
  const step = `intDiv(request_created_at, ${ID_TIME_SLACK_MS})`;
  if (steps.size <= STEPS_MAX) return `${step} in (${[...steps].join(", ")})`;
  const [least, most] = own.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [own[0]!, own[0]!],
  );
  return `${step} between ${least - 1} and ${most + 1}`;
}
