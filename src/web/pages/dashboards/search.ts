import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";

/** The state of a dashboard in its address. */
export interface DashboardSearch extends TimeSearch {
  /** In place of the dashboard's own filter; `"all"` takes that away. */
  readonly filter?: unknown;
  /** It was just made: there is nothing to be seen yet. */
  readonly edit?: true | undefined;
}

export function readDashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const { filter, edit } = search;
  return {
    ...readTimeSearch(search),
    // One that is there and cannot be read stays, so that the page can say so.
    ...(filter === undefined || filter === null
      ? {}
      : { filter: typeof filter === "object" ? filter : String(filter) }),
    ...(edit === true ? { edit } : {}),
  };
}
