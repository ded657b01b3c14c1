import type { Times } from "./records.ts";

const HOUR_MS = 3_600_000;
/** How far each window extends from the first record needed; the last window covers the rest. */
const REACHES_MS = [HOUR_MS, 24 * HOUR_MS, 14 * 24 * HOUR_MS];

/**
 * Time windows that are searched for a page one after another, because the database finds the newest records of an hour much
 * faster than the newest of all. Together they cover all of `times`, without overlap.
 *
 * @param now - where newest-first starts, unless `times` ends sooner. Later records are in the first window.
 */
export function windowsOf(direction: "asc" | "desc", { least, most }: Times, now: number): readonly Times[] {
  const isUnbounded = least <= -Number.MAX_SAFE_INTEGER;
  // The oldest records are found in the order of the table, from its start.
  if (direction === "asc" && isUnbounded) return [{ least, most }];
  const windows: Times[] = [];
  let [from, to] = [least, most];
  const start = direction === "desc" ? Math.min(most, now) : least;
  for (const reach of REACHES_MS) {
    if (direction === "desc") {
      const next = Math.max(from, start - reach);
      if (next <= from || next > to) break;
      windows.push({ least: next, most: to });
      to = next - 1;
    } else {
      const next = Math.min(to, start + reach);
      if (next >= to || next < from) break;
      windows.push({ least: from, most: next });
      from = next + 1;
    }
  }
  return [...windows, { least: from, most: to }];
}
