const TABS = ["conversation", "request", "response", "timing", "cost", "compare", "replay", "details"] as const;
export type RequestTab = (typeof TABS)[number];

/** The state of one request's page in its address. */
interface RequestSearch {
  readonly tab?: RequestTab | undefined;
}

export function readRequestSearch({ tab }: Record<string, unknown>): RequestSearch {
  return tab !== "conversation" && TABS.includes(tab as RequestTab) ? { tab: tab as RequestTab } : {};
}
