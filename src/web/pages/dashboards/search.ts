import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";

/** The state of a dashboard in its address. */
export interface DashboardSearch extends TimeSearch {
  /** Replaces the dashboard's own filter; `"all"` removes it. */
  readonly filter?: unknown;
  /** Set for a new dashboard, which opens in edit mode. */
  readonly edit?: true | undefined;
}

export function readDashboardSearch(search: Record<string, unknown>): DashboardSearch {
  const { filter, edit } = search;
  return {
    ...readTimeSearch(search),
    // An unreadable filter is kept, so that the page can report it.
    ...(filter === undefined || filter === null
      ? {}
      : { filter: typeof filter === "object" ? filter : String(filter) }),
    ...(edit === true ? { edit } : {}),
  };
}
