import { type ListSearch, readListSearch, readText } from "../../parts/list-search.ts";
import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";

/** The state of the properties page in its address. */
export interface PropertiesSearch extends TimeSearch, ListSearch {
  /** The property whose values are shown. */
  readonly name?: string | undefined;
}

export function readPropertiesSearch(search: Record<string, unknown>): PropertiesSearch {
  const name = readText(search["name"]);
  return { ...readTimeSearch(search), ...readListSearch(search), ...(name === undefined ? {} : { name }) };
}
