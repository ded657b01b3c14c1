/** An unreadable filter is kept, so that the page can report it: without it the page would show everything. */
export function readFilter(filter: unknown): { readonly filter?: unknown } {
  if (filter === undefined || filter === null || filter === "all") return {};
  return { filter: typeof filter === "object" ? filter : String(filter) };
}

export const isUnreadable = (filter: unknown): filter is string => typeof filter === "string";
