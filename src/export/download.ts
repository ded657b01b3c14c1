import { collectGarbage } from "../runtime/memory.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { Encoder } from "./encoder.ts";
import { type Settled, settle, unwrap } from "./outcome.ts";
import type { Output } from "./output.ts";
import type { Page } from "./read-page.ts";

export interface Download {
  /** Reads the page after `cursor`; `before` rows are already written, and at most `rowsMax` are needed. */
  readonly read: (cursor: string | null, before: number, rowsMax: number) => Promise<Page>;
  readonly encoder: Encoder;
  readonly output: Output;
  readonly limit: number | undefined;
  /** Called after each page is in the output; resolves once a kill can no longer lose it. */
  readonly keep: (position: Pick<Checkpoint, "phase" | "rows" | "cursor">) => Promise<void>;
  readonly onRows: (rows: number, bytes: number) => void;
}

/** Garbage is collected after this many copied bytes: each byte is in memory several times. */
const COLLECT_BYTES = 20_000_000;

/**
 * Copies pages into the output until there are no more. While one is written, the previous page's checkpoint is synced:
 * a resumed run cuts off everything after a checkpoint.
 *
 * @param from - where to begin; a resumed run begins at its checkpoint.
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
    await keeping; // a resumed export must not find its checkpoint half written
  }
  return rows;
}
