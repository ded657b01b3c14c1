import type { Sorted } from "./data-table.tsx";

/** The state of a list in its address. */
export interface ListSearch {
  /** Part of a name. */
  readonly q?: string | undefined;
  /** `<column>.asc` or `<column>.desc`. */
  readonly sort?: string | undefined;
  /** From 1, which is left out. */
  readonly page?: number | undefined;
}

/** Makes whatever a link holds into what a list takes. */
export function readListSearch({ q, sort, page }: Readonly<Record<string, unknown>>): ListSearch {
  return {
    // A search for digits alone comes out of an address as a number.
    ...((typeof q === "string" && q !== "") || typeof q === "number" ? { q: String(q) } : {}),
    ...(typeof sort === "string" && /^\w+\.(asc|desc)$/.test(sort) ? { sort } : {}),
    ...(Number.isSafeInteger(page) && (page as number) > 1 ? { page: page as number } : {}),
  };
}

/** Whether a search goes on that was begun before: the way back leads out of it, not through its letters. */
export const isTyping = (before: ListSearch, next: ListSearch): boolean =>
  before.q !== undefined && next.q !== undefined && before.q !== next.q;

/** Text of an address, or nothing. */
export function readText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @param columns - those that can be sorted by; anything else is as if nothing was said. */
export function readSorted(sort: string | undefined, columns: readonly string[], fallback: Sorted): Sorted {
  const [id = "", direction] = (sort ?? "").split(".");
  return columns.includes(id) ? { id, desc: direction === "desc" } : fallback;
}

export const sortText = ({ id, desc }: Sorted): string => `${id}.${desc ? "desc" : "asc"}`;

/** As the API takes it. */
export const sortBody = ({ id, desc }: Sorted): Readonly<Record<string, "asc" | "desc">> => ({
  [id]: desc ? "desc" : "asc",
});
