import { readFilter } from "../../filter/address.ts";
import { readText } from "../../parts/list-search.ts";
import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";
import { readSplit } from "../overview/search.ts";

/** The state of the scores in its address. */
export interface ScoresSearch extends TimeSearch {
  /** The charted score; the most frequent by default. */
  readonly score?: string | undefined;
  /** As on the overview; missing means not split. */
  readonly by?: string | undefined;
  /** The API's filter tree; missing means all. */
  readonly filter?: unknown;
}

export function readScoresSearch(search: Record<string, unknown>): ScoresSearch {
  const { score: given } = search;
  const score = readText(typeof given === "number" ? String(given) : given);
  return {
    ...readTimeSearch(search),
    ...(score !== undefined && { score }),
    ...readSplit(search["by"]),
    ...readFilter(search["filter"]),
  };
}
