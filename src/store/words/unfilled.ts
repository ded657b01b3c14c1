import { readSetting, writeSetting } from "../settings.ts";
import type { Database } from "../store.ts";

/** A range of record numbers, both ends included. */
interface SeqRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Records that may lack `input`, `output` and their words: those of an earlier version, and those recorded while the index
 * was off. Highest first; they are filled from the top down.
 */
export interface Unfilled {
  readonly ranges: readonly SeqRange[];
  /** Records after this number have no words, because the index is off; null while it is on. */
  readonly offSince: number | null;
}

const SETTING = "texts to fill";

/** Undefined when no version with this setting has used the database. */
export async function readUnfilled(records: Database): Promise<Unfilled | undefined> {
  const value = await readSetting(records, SETTING);
  return value === undefined ? undefined : (JSON.parse(value) as Unfilled);
}

export function writeUnfilled(records: Database, unfilled: Unfilled): Promise<void> {
  return writeSetting(records, SETTING, JSON.stringify(unfilled));
}

/**
 * What to fill after a program starts, with the index on or off.
 *
 * @param newest - the highest record number.
 */
export function atStart(
  { ranges, offSince }: Unfilled = { ranges: [{ first: 1, last: Number.MAX_SAFE_INTEGER }], offSince: null },
  { isIndexed, newest }: { readonly isIndexed: boolean; readonly newest: number },
): Unfilled {
  const known = ranges.map(({ first, last }) => ({ first, last: Math.min(last, newest) }));
  if (!isIndexed) {
    // Records filled now get no words: they must be visited again when the index is on.
    const lowest = Math.min(offSince ?? newest, ...known.map(({ first }) => first - 1));
    return { ranges: filled(known), offSince: lowest };
  }
  if (offSince !== null) known.push({ first: offSince + 1, last: newest });
  return { ranges: filled(known), offSince: null };
}

/** What is left when everything from `from` upwards is done. */
export function below(ranges: readonly SeqRange[], from: number): readonly SeqRange[] {
  return filled(ranges.map(({ first, last }) => ({ first, last: Math.min(last, from - 1) })));
}

/** Non-empty ranges, highest first, with adjacent ones merged. */
function filled(ranges: readonly SeqRange[]): readonly SeqRange[] {
  const kept: { first: number; last: number }[] = [];
  for (const { first, last } of ranges.filter(({ first, last }) => first <= last).sort((a, b) => b.last - a.last)) {
    const before = kept.at(-1);
    if (before !== undefined && last >= before.first - 1) before.first = Math.min(before.first, first);
    else kept.push({ first, last });
  }
  return kept;
}

/** The highest record that may lack its words; 0 when none does. */
export const highestUnfilled = (unfilled: Unfilled | undefined): number => unfilled?.ranges[0]?.last ?? 0;

/** Approximate number of records still to be filled. */
export const leftToFill = (unfilled: Unfilled | undefined): number =>
  (unfilled?.ranges ?? []).reduce((sum, { first, last }) => sum + last - first + 1, 0);
