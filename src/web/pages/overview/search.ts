import { readFilter } from "../../filter/address.ts";
import { readText } from "../../parts/list-search.ts";
import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";

/** The dimensions of a split, besides `property:<Name>`. */
export const SPLITS: Readonly<Record<string, string>> = {
  model: "Model",
  provider: "Provider",
  key: "Key",
  user: "User",
  status: "Status",
  outcome: "Outcome",
  error_code: "Error code",
  finish_reason: "Finish reason",
  prompt: "Prompt",
  prompt_version: "Prompt version",
  route: "Route",
  credential: "Credential",
};

/** The state of the overview in its address. */
export interface OverviewSearch extends TimeSearch {
  /** A name of `SPLITS`, or `property:<Name>`; missing means not split. */
  readonly by?: string | undefined;
  /** The API's filter tree; missing means all. */
  readonly filter?: unknown;
}

export function readOverviewSearch(search: Record<string, unknown>): OverviewSearch {
  return { ...readTimeSearch(search), ...readSplit(search["by"]), ...readFilter(search["filter"]) };
}

/** Reads the split from any query of a link. */
export function readSplit(value: unknown): { readonly by?: string } {
  const by = readText(value);
  return by !== undefined && (Object.hasOwn(SPLITS, by) || /^property:./.test(by)) ? { by } : {};
}
