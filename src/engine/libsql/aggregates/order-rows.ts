import type { Key } from "../../aggregates.ts";

export type OrderKey = readonly [name: string, direction: "asc" | "desc"];

/**
 * Sorts rows as SQLite would, and returns a page: numbers before texts, texts by bytes. Nulls come first in ascending order;
 * with `nullsLast` they always come last.
 */
export function inOrder<Row extends Readonly<Record<string, Key>>>(
  rows: Row[],
  order: readonly OrderKey[],
  {
    limit,
    offset,
    nullsLast = true,
  }: { readonly limit: number; readonly offset: number; readonly nullsLast?: boolean },
): Row[] {
  const sorted = rows.sort((a, b) => {
    for (const [name, direction] of order) {
      const [left, right] = [a[name] ?? null, b[name] ?? null];
      if (left === right) continue;
      if (nullsLast && (left === null || right === null)) return left === null ? 1 : -1;
      const compared = compare(left, right);
      if (compared !== 0) return direction === "asc" ? compared : -compared;
    }
    return 0;
  });
  return sorted.slice(offset, offset + limit);
}

function compare(left: Key, right: Key): number {
  if (left === null || right === null) return left === null ? -1 : 1;
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareBytes(left, right);
  return typeof left === "number" ? -1 : 1;
}

/** UTF-16 and UTF-8 order differ only when surrogates are compared with characters above them. */
function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return left < right ? -1 : 1;
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

const SURROGATE = /[\ud800-\udfff]/;
