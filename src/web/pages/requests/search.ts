import { readFilter } from "../../filter/address.ts";
import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";
import { COLUMNS } from "./columns.tsx";

/** The state of the requests page in its address. */
export interface RequestsSearch extends TimeSearch {
  /** The API's filter tree; missing means all. A string is a link's truncated filter, which cannot be read. */
  readonly filter?: unknown;
  /** `<key>.asc` or `<key>.desc`; missing means newest first. */
  readonly sort?: string | undefined;
  /** Search words; hits come newest first. */
  readonly q?: string | undefined;
  /** Whether new requests appear automatically. */
  readonly live?: boolean | undefined;
  /** Id of the request that is open in the panel. */
  readonly open?: string | undefined;
  /** Id of the open saved view: its columns are shown, and changes can be saved to it. */
  readonly view?: string | undefined;
}

const ID = /^[0-9a-f-]{36}$/i;

const SORTS = COLUMNS.flatMap(({ sort }) => (sort === undefined ? [] : [`${sort}.asc`, `${sort}.desc`]));

export function readRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const { filter, sort, live, q, open, view } = search;
  return {
    ...readTimeSearch(search),
    ...readFilter(filter),
    ...(typeof sort === "string" && SORTS.includes(sort) ? { sort } : {}),
    ...(typeof q === "string" && q !== "" ? { q } : {}),
    ...(live === true ? { live } : {}),
    ...(typeof open === "string" && ID.test(open) ? { open: open.toLowerCase() } : {}),
    ...(typeof view === "string" && ID.test(view) ? { view: view.toLowerCase() } : {}),
  };
}
