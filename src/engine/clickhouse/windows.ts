import type { Times } from "./records.ts";

const HOUR_MS = 3_600_000;
/** How far each window goes back from the first record that is wanted; all before is the last one. */
const REACHES_MS = [HOUR_MS, 24 * HOUR_MS, 14 * 24 * HOUR_MS];

/**
 * Windows of time that a page is looked for in, one after the other, because the database finds the newest of an hour much
 * sooner than the newest of all. Together they are all of `times`, without overlap.
 *
 * @param now - where newest-first begins, unless `times` ends sooner. Records of later times are in the first window.
 */
export function windowsOf(direction: "asc" | "desc", { least, most }: Times, now: number): readonly Times[] {
  const isUnbounded = least <= -Number.MAX_SAFE_INTEGER;
  // What is oldest is found in the order of the table, from its beginning.
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
