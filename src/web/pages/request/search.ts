const TABS = ["conversation", "request", "response", "timing", "cost", "compare", "replay", "details"] as const;
export type RequestTab = (typeof TABS)[number];

/** The state of one request's page in its address. */
interface RequestSearch {
  readonly tab?: RequestTab | undefined;
  /** Id of the request that this one is compared with, if it is not the previous one of the session. */
  readonly with?: string | undefined;
}

export function readRequestSearch({ tab, with: other }: Record<string, unknown>): RequestSearch {
  if (tab === "conversation" || !TABS.includes(tab as RequestTab)) return {};
  const isCompared = tab === "compare" && typeof other === "string" && other !== "";
  return { tab: tab as RequestTab, ...(isCompared && { with: other }) };
}
