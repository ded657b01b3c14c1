import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";
import { COLUMNS } from "./columns.tsx";

/** What the address of the requests page says. */
export interface RequestsSearch extends TimeSearch {
  /** The API's filter tree; missing means all. */
  readonly filter?: unknown;
  /** `<key>.asc` or `<key>.desc`; missing means newest first. */
  readonly sort?: string | undefined;
  /** Whether new requests appear by themselves. */
  readonly live?: boolean | undefined;
}

const SORTS = COLUMNS.flatMap(({ sort }) => (sort === undefined ? [] : [`${sort}.asc`, `${sort}.desc`]));

export function readRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const { filter, sort, live } = search;
  return {
    ...readTimeSearch(search),
    ...(typeof filter === "object" && filter !== null ? { filter } : {}),
    ...(typeof sort === "string" && SORTS.includes(sort) ? { sort } : {}),
    ...(live === true ? { live } : {}),
  };
}
