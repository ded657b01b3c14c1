import { collectGarbage } from "../runtime/memory.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { Encoder } from "./encoder.ts";
import type { Output } from "./output.ts";
import type { Page } from "./page.ts";
import { type Settled, settle, unwrap } from "./settled.ts";

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

/** Garbage is collected each time so much has been copied: every byte of it is in memory several times over. */
const COLLECT_BYTES = 20_000_000;

/**
 * Copies pages into the output until there are no more. While one is written, the checkpoint of the one before is being
 * made to last: what a kill finds behind a checkpoint is cut off anyway.
 *
 * @param from - where to begin; a run that was stopped begins where its checkpoint stands.
 * @returns the rows in the output.
 */
export async function download(job: Download, from: Pick<Checkpoint, "rows" | "cursor">): Promise<number> {
  const limit = job.limit ?? Number.POSITIVE_INFINITY;
  let { rows, cursor } = from;
  let uncollected = 0;
  let keeping: Promise<Settled<void>> = Promise.resolve({ value: undefined });
  try {
    for (let more = rows < limit; more; ) {
      const page = await job.read(cursor, rows, limit - rows);
      const bytes = job.encoder.rows(page.lines, rows);
      await job.output.append(bytes);
      rows += page.rows;
      cursor = page.nextCursor;
      more = cursor !== null && rows < limit;
      job.onRows(page.rows, bytes.length);
      uncollected += page.lines.length * job.encoder.copies;
      if (uncollected >= COLLECT_BYTES) {
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
