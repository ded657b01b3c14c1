import { collectGarbage } from "../runtime/memory.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { Encoder } from "./encoder.ts";
import type { Output } from "./output.ts";
import type { Page } from "./page.ts";

export interface Download {
  /** Reads the page behind `cursor`; `before` rows are already there, and no more than `rowsMax` are wanted. */
  readonly read: (cursor: string | null, before: number, rowsMax: number) => Promise<Page>;
  readonly encoder: Encoder;
  readonly output: Output;
  readonly limit: number | undefined;
  /** Called after each page that is in the output; resolves when a kill would no longer lose it. */
  readonly keep: (position: Pick<Checkpoint, "phase" | "rows" | "cursor">) => Promise<void>;
  readonly onRows: (rows: number, bytes: number) => void;
}

/** Garbage is collected each time so much has been copied: every character of it is in memory several times over. */
const COLLECT_CHARACTERS = 6_000_000;

/**
 * Copies pages into the output until there are no more. While one page is written, the next one is on its way, and the
 * checkpoint of the one before is being made to last: what a kill finds behind a checkpoint is cut off anyway.
 *
 * @param from - where to begin; a run that was stopped begins where its checkpoint stands.
 * @returns the rows in the output.
 */
export async function download(job: Download, from: Pick<Checkpoint, "rows" | "cursor">): Promise<number> {
  const limit = job.limit ?? Number.POSITIVE_INFINITY;
  let { rows, cursor } = from;
  let uncollected = 0;
  let keeping: Promise<Settled<void>> = Promise.resolve({ value: undefined });
  let ahead = rows < limit ? settle(job.read(cursor, rows, limit - rows)) : undefined;
  try {
    while (ahead !== undefined) {
      const page = unwrap(await ahead);
      const after = rows + page.rows.length;
      const more = page.nextCursor !== null && after < limit;
      ahead = more ? settle(job.read(page.nextCursor, after, limit - after)) : undefined;

      const bytes = job.encoder.rows(page.rows, rows);
      await job.output.append(bytes);
      rows = after;
      cursor = page.nextCursor;
      job.onRows(page.rows.length, bytes.length);
      for (const row of page.rows) uncollected += row.length * job.encoder.copies;
      if (uncollected >= COLLECT_CHARACTERS) {
        collectGarbage();
        uncollected = 0;
      }
      unwrap(await keeping);
      keeping = settle(job.keep({ phase: more ? "downloading" : "downloaded", rows, cursor }));
    }
    unwrap(await keeping);
  } finally {
    await keeping; // whoever goes on with this export must not find its checkpoint still being written
  }
  return rows;
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** A promise that never rejects: the failure of a page that is read ahead is looked at when its turn comes. */
function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function unwrap<T>(settled: Settled<T>): T {
  if ("error" in settled) throw settled.error;
  return settled.value;
}
