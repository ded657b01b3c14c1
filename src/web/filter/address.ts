/** A filter that is there and is none stays, so that its page can say so: leaving it out would show everything. */
export function readFilter(filter: unknown): { readonly filter?: unknown } {
  if (filter === undefined || filter === null || filter === "all") return {};
  return { filter: typeof filter === "object" ? filter : String(filter) };
}

export const isUnreadable = (filter: unknown): filter is string => typeof filter === "string";
