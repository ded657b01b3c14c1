import type { Sorted } from "./data-table.tsx";

/** The state of a list in its address. */
export interface ListSearch {
  /** Part of a name. */
  readonly q?: string | undefined;
  /** `<column>.asc` or `<column>.desc`. */
  readonly sort?: string | undefined;
  /** From 1, which the address leaves out. */
  readonly page?: number | undefined;
}

/** Converts any query of a link into a valid list state. */
export function readListSearch({ q, sort, page }: Readonly<Record<string, unknown>>): ListSearch {
  return {
    // The router parses a search that consists of digits as a number.
    ...((typeof q === "string" && q !== "") || typeof q === "number" ? { q: String(q) } : {}),
    ...(typeof sort === "string" && /^\w+\.(asc|desc)$/.test(sort) ? { sort } : {}),
    ...(Number.isSafeInteger(page) && (page as number) > 1 ? { page: page as number } : {}),
  };
}

/** Whether the user is still typing a search: the history then gets no entry for each letter. */
export const isTyping = (before: ListSearch, next: ListSearch): boolean =>
  before.q !== undefined && next.q !== undefined && before.q !== next.q;

/** A string from an address, or undefined. */
export function readText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @param columns - the sortable ones; any other sort is ignored. */
export function readSorted(sort: string | undefined, columns: readonly string[], fallback: Sorted): Sorted {
  const [id = "", direction] = (sort ?? "").split(".");
  return columns.includes(id) ? { id, desc: direction === "desc" } : fallback;
}

export const sortText = ({ id, desc }: Sorted): string => `${id}.${desc ? "desc" : "asc"}`;

/** In the API's form. */
export const sortBody = ({ id, desc }: Sorted): Readonly<Record<string, "asc" | "desc">> => ({
  [id]: desc ? "desc" : "asc",
});
