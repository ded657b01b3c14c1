import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import type { Client } from "../api-client/client.ts";
import { ExportFailure, usageFailure } from "../api-client/failure.ts";
import type { Progress } from "../api-client/progress.ts";
import {
  boundOptions,
  type Checkpoint,
  checkpointPath,
  expectOwn,
  type Plan,
  readCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
} from "./checkpoint.ts";
import { type Column, tableColumns } from "./columns.ts";
import { type Download, download } from "./download.ts";
import { csv, type Encoder, jsonArray, jsonLines } from "./encoder.ts";
import { countRecords, createPager, memberNames, propertyNames } from "./fetch-page.ts";
import type { ExportOptions, Format } from "./options.ts";
import { checkPlace, exists, openFile, openStream, remove } from "./output.ts";
import { parquet } from "./parquet.ts";
import { buildFilter, readPeriod } from "./period.ts";
import { countOf, readLines } from "./record-lines.ts";

interface Transfer {
  readonly options: ExportOptions;
  readonly client: Client;
  readonly progress: Progress;
  readonly stdout: Writable;
  /** Aborted when the export is to stop. */
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

export interface TransferResult {
  /** Rows in the finished output, and its bytes. */
  readonly rows: number;
  readonly bytes: number;
  /** Rows of this run only. */
  readonly newRows: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
}

const ENCODERS: Readonly<Record<Format, (columns: readonly Column[]) => Encoder>> = {
  jsonl: () => jsonLines,
  json: () => jsonArray,
  csv,
  parquet,
};

/** Formats with columns, which must be known before the first record is written. */
const TABLES: ReadonlySet<Format> = new Set<Format>(["csv", "parquet"]);

/**
 * Writes the records into the output, from the start or from a checkpoint.
 *
 * @returns undefined if there was nothing to continue: the output exists without a checkpoint, so its export is complete.
 */
export async function transfer(job: Transfer): Promise<TransferResult | undefined> {
  return job.options.output === "-" ? toStream(job) : toFile(job);
}

async function toStream(job: Transfer): Promise<TransferResult> {
  const plan = await makePlan(job);
  const encoder = ENCODERS[job.options.format](plan.columns);
  const output = openStream(job.stdout, job.signal);
  try {
    await output.append(encoder.head());
    const done = await downloadAll(job, plan, { encoder, output, keep: async () => {} }, START);
    await output.append(encoder.tail(done.rows));
    return { ...done, bytes: await output.sync(), warnings: await findMissing(job, plan, done.rows) };
  } finally {
    await output.close();
  }
}

/** A file, with a checkpoint beside it after every page. */
async function toFile(job: Transfer): Promise<TransferResult | undefined> {
  const { options } = job;
  const begun = await findBegun(options);
  if (begun === "complete") return undefined;
  const plan = begun?.plan ?? (await makePlan(job));
  const run = randomUUID();
  const keep = ({ phase, rows, cursor }: Position, length: number) =>
    writeCheckpoint(options.output, {
      version: 2,
      run,
      options: boundOptions(options),
      plan,
      phase,
      rows,
      cursor,
      length,
    });
  // The checkpoint comes before the file: a file without one is a finished export.
  await keep(begun ?? START, begun?.length ?? 0);
  const keepOwn = async (position: Position, length: number) => {
    await expectOwn(options.output, run);
    await keep(position, length);
  };

  const done =
    begun?.phase === "finished"
      ? { rows: begun.rows, bytes: begun.length, newRows: 0, seconds: 0 }
      : await writeFile(job, plan, begun, keepOwn);
  // From here on a resumed run only has to clean up.
  await keepOwn({ phase: "finished", rows: done.rows, cursor: null }, done.bytes);
  await remove(rowsPath(options.output));
  await removeCheckpoint(options.output);
  return { ...done, warnings: await findMissing(job, plan, done.rows) };
}

/**
 * Writes the complete file, or its missing part.
 *
 * Parquet cannot be truncated and continued, because its last bytes describe all the others. So its records are first
 * downloaded as lines into `FILE.rows`, like any other export, and then converted in one pass. The conversion needs no
 * service, and starts over if it is interrupted.
 */
async function writeFile(
  job: Transfer,
  plan: Plan,
  begun: Checkpoint | undefined,
  keep: (position: Position, length: number) => Promise<void>,
): Promise<Omit<TransferResult, "warnings">> {
  const { options } = job;
  const direct = options.format !== "parquet";
  const path = direct ? options.output : rowsPath(options.output);
  const encoder = direct ? ENCODERS[options.format](plan.columns) : jsonLines;
  const length = begun?.length ?? 0;
  const output = await openFile(path, length === 0 ? undefined : length);
  try {
    const keepSynced = async (position: Position) => keep(position, await output.sync());
    if (length === 0) await output.append(encoder.head());
    const done = await downloadAll(job, plan, { encoder, output, keep: keepSynced }, begun ?? START);
    await output.append(encoder.tail(done.rows));
    const bytes = await output.sync();
    return { ...done, bytes: direct ? bytes : await convert(job, plan, path, done.rows) };
  } finally {
    await output.close();
  }
}

type Position = Pick<Checkpoint, "phase" | "rows" | "cursor">;

const START: Position = { phase: "downloading", rows: 0, cursor: null };

function rowsPath(output: string): string {
  return `${output}.rows`;
}

/** The state of an earlier run, as far as `--resume` and `--force` allow. */
async function findBegun(options: ExportOptions): Promise<Checkpoint | "complete" | undefined> {
  await checkPlace(options.output);
  if (options.resume) {
    const checkpoint = await readCheckpoint(options);
    return checkpoint ?? ((await exists(options.output)) ? "complete" : undefined);
  }
  if (options.force) return undefined;
  for (const path of [checkpointPath(options.output), options.output, rowsPath(options.output)]) {
    if (await exists(path)) throw usageFailure(`${path} exists; continue with --resume, or replace it with --force`);
  }
  return undefined;
}

/** Fixes the values that must not change during the export, however often it is resumed. */
async function makePlan({ options, client, nowMs }: Transfer): Promise<Plan> {
  const period = readPeriod(options.startDate, options.endDate, nowMs);
  const filter = buildFilter(period, options.properties, options.filter);
  // The hits of a search cannot be counted in advance.
  const counted = options.search === undefined ? await countRecords(client, filter) : undefined;
  const total = counted === undefined ? undefined : Math.min(counted, options.limit ?? counted);
  const isTable = TABLES.has(options.format);
  // Counting accepts filters that pages do not: such a filter is refused here, before a file exists.
  const found =
    isTable || options.filter !== "all"
      ? await memberNames(client, { filter, order: options.order, includeBody: false })
      : [];
  if (!isTable) return { period, columns: [], total };
  return { period, columns: tableColumns(found, await propertyNames(client), options.includeBody), total };
}

/** The pages from `from` on, and how long they took. */
async function downloadAll(
  { options, client, progress }: Transfer,
  plan: Plan,
  target: Pick<Download, "encoder" | "output" | "keep">,
  from: Position,
) {
  const startedMs = performance.now();
  const { order, includeBody, limit, search } = options;
  const filter = buildFilter(plan.period, options.properties, options.filter);
  progress.expect(plan.total);
  progress.phase("exporting", from.rows);
  const read = createPager(client, { filter, order, includeBody, search }, plan.total);
  const rows =
    from.phase === "downloading"
      ? await download({ ...target, read, limit, onRows: progress.advance }, from)
      : from.rows;
  return { rows, newRows: rows - from.rows, seconds: (performance.now() - startedMs) / 1000 };
}

/** @returns the bytes of the file. */
async function convert({ options, progress, signal }: Transfer, plan: Plan, path: string, total: number) {
  progress.expect(total);
  progress.phase("writing parquet", 0);
  const encoder = ENCODERS.parquet(plan.columns);
  const output = await openFile(options.output, undefined);
  try {
    await output.append(encoder.head());
    let rows = 0;
    for await (const lines of readLines(path)) {
      signal.throwIfAborted();
      const bytes = encoder.rows(lines, rows);
      await output.append(bytes);
      const count = countOf(lines);
      rows += count;
      progress.advance(count, bytes.length);
    }
    if (rows !== total) throw new ExportFailure("failed", `${path} was changed by another program; use --force`);
    await output.append(encoder.tail(rows));
    return await output.sync();
  } finally {
    await output.close();
  }
}

/** A silently truncated page would lose records, so the received number is compared with the current count. */
async function findMissing({ options, client }: Transfer, plan: Plan, rows: number): Promise<string[]> {
  if (plan.total === undefined || rows >= plan.total) return [];
  const now = await countRecords(client, buildFilter(plan.period, options.properties, options.filter));
  if (now === undefined || Math.min(now, options.limit ?? now) <= rows) return []; // records were deleted meanwhile
  return [`the service counts ${now} records and returned ${rows}; some may have been deleted or recorded late`];
}
