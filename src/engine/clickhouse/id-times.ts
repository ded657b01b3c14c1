import { timeOfUuid } from "../../runtime/uuid.ts";
import { ID_TIME_SLACK_MS } from "./tables.ts";

/** Ranges of time that one statement looks in; ids of more are looked for in all of the time between. */
const RANGES_MAX = 100;

/** SQL that is true at the times at which records of these ids were made, if an id tells its time; undefined if none does. */
export function nearIds(ids: readonly string[]): string | undefined {
  const ranges = rangesOf(ids);
  if (ranges.length === 0) return undefined;
  return `(${ranges.map(([from, to]) => `request_created_at between ${from} and ${to}`).join(" or ")})`;
}

/** In order and apart. */
function rangesOf(ids: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const times = ids.flatMap((id) => timeOfUuid(id) ?? []).sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const time of times) {
    const last = ranges.at(-1);
    const from = time - ID_TIME_SLACK_MS;
    if (last !== undefined && from <= last[1]) last[1] = time + ID_TIME_SLACK_MS;
    else ranges.push([from, time + ID_TIME_SLACK_MS]);
  }
  return ranges.length <= RANGES_MAX ? ranges : [[ranges[0]![0], ranges.at(-1)![1]]];
}
