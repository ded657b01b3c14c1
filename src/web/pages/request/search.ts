const TABS = ["conversation", "request", "response", "timing", "cost", "compare", "replay", "details"] as const;
export type RequestTab = (typeof TABS)[number];

/** What the address of one request's page says. */
interface RequestSearch {
  readonly tab?: RequestTab | undefined;
}

export function readRequestSearch({ tab }: Record<string, unknown>): RequestSearch {
  return tab !== "conversation" && TABS.includes(tab as RequestTab) ? { tab: tab as RequestTab } : {};
}
