import { readFilter } from "../filter/address.ts";
import { type ListSearch, readListSearch, readText } from "./list-search.ts";
import { readTimeSearch, type TimeSearch } from "./time-range.ts";

/** What the addresses of the pages of users and of sessions say. */
export interface TimedListSearch extends TimeSearch, ListSearch {
  /** The API's filter tree; missing means all. A text is one that a link lost a part of. */
  readonly filter?: unknown;
  /** Words of what was said. */
  readonly words?: string | undefined;
}

export function readTimedListSearch(search: Record<string, unknown>): TimedListSearch {
  const words = readText(search["words"]);
  return {
    ...readTimeSearch(search),
    ...readListSearch(search),
    ...readFilter(search["filter"]),
    ...(words === undefined ? {} : { words }),
  };
}
