import { readFilter } from "../filter/address.ts";
import { type ListSearch, readListSearch, readText } from "./list-search.ts";
import { readTimeSearch, type TimeSearch } from "./time-range.ts";

/** The state of the pages of users and sessions in their addresses. */
export interface TimedListSearch extends TimeSearch, ListSearch {
  /** The API's filter tree; missing means all. A string is a link's truncated filter. */
  readonly filter?: unknown;
  /** Words in contents. */
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
