import { type ListSearch, readListSearch } from "./list-search.ts";
import { readTimeSearch, type TimeSearch } from "./time-range.ts";

/** What the addresses of the pages of users and of sessions say. */
export interface TimedListSearch extends TimeSearch, ListSearch {}

export function readTimedListSearch(search: Record<string, unknown>): TimedListSearch {
  return { ...readTimeSearch(search), ...readListSearch(search) };
}
