import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ExportFailure, usageFailure } from "../api-client/failure.ts";
import { fileProblem } from "../file-problem.ts";
import type { Column } from "./columns.ts";
import type { ExportOptions } from "./options.ts";
import { notWritten } from "./output.ts";
import type { Period } from "./period.ts";

/** The values that an export fixes when it starts. */
export interface Plan {
  readonly period: Period;
  /** Of a table; empty for formats without columns. */
  readonly columns: readonly Column[];
  /** Records that match, counted at the start; undefined when the service could not count them in time. */
  readonly total: number | undefined;
}

export interface Checkpoint {
  readonly version: 2;
  /** Id of the run that wrote it, so that a second run with the same output is detected. */
  readonly run: string;
  /** The options that determine the file's content. A checkpoint is valid only for the same ones. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly plan: Plan;
  /** `downloading`, then `downloaded` (all records are there), then `finished` (the file is complete, temporary files remain). */
  readonly phase: "downloading" | "downloaded" | "finished";
  /** Records in the output. */
  readonly rows: number;
  /** The start of the next page; null for the first. */
  readonly cursor: string | null;
  /** Bytes of the output that belong to those records. Later bytes were written after the checkpoint. */
  readonly length: number;
}

export function checkpointPath(output: string): string {
  return `${output}.checkpoint`;
}

/** The options that a checkpoint belongs to, spelled as on the command line. */
export function boundOptions(options: ExportOptions): Checkpoint["options"] {
  return {
    "start-date": options.startDate ?? null,
    "end-date": options.endDate ?? null,
    limit: options.limit ?? null,
    order: options.order,
    property: options.properties.map(({ name, value }) => `${name}=${value}`),
    filter: options.filter,
    search: options.search ?? null,
    "include-body": options.includeBody,
    format: options.format,
    region: options.region,
    "api-url": options.apiUrl,
  };
}

/**
 * Reads the checkpoint beside `output`.
 *
 * @returns undefined if there is none.
 * @throws ExportFailure of kind `usage` if it belongs to other options or cannot be read.
 */
export async function readCheckpoint(options: ExportOptions): Promise<Checkpoint | undefined> {
  const path = checkpointPath(options.output);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw new ExportFailure("failed", `${path} cannot be read: ${fileProblem(error)}`, { cause: error });
  }
  const checkpoint = parse(text);
  if (checkpoint === undefined)
    throw usageFailure(`${path} is not a checkpoint of this version; start over with --force`);
  const now = boundOptions(options);
  const changed = Object.keys(now).filter((name) => !same(now[name], checkpoint.options[name] ?? null));
  if (changed.length > 0) {
    const names = changed.map((name) => `--${name}`).join(", ");
    throw usageFailure(`the stopped export had another ${names}; give the same options, or start over with --force`);
  }
  return checkpoint;
}

/** Replaces the checkpoint atomically: a reader finds the old or the new one, also after a power failure. The output must be synced before. */
export async function writeCheckpoint(output: string, checkpoint: Checkpoint): Promise<void> {
  const path = checkpointPath(output);
  const draft = `${path}.tmp`;
  try {
    const file = await open(draft, "w");
    try {
      await file.writeFile(`${JSON.stringify(checkpoint)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

/** @throws ExportFailure of kind `usage` if the checkpoint beside `output` no longer belongs to this run. */
export async function expectOwn(output: string, run: string): Promise<void> {
  const text = await readFile(checkpointPath(output), "utf8").catch(() => "");
  if (parse(text)?.run === run) return;
  throw usageFailure(`another export has taken ${output} over, or its checkpoint is gone`);
}

export async function removeCheckpoint(output: string): Promise<void> {
  await rm(`${checkpointPath(output)}.tmp`, { force: true });
  await rm(checkpointPath(output), { force: true });
}

/** Syncs a rename. Windows cannot open a directory, and does not need to. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function parse(text: string): Checkpoint | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // not ours: Weir never leaves a partial one
  }
  const checkpoint = value as Partial<Checkpoint> | null;
  const complete =
    checkpoint?.version === 2 &&
    typeof checkpoint.run === "string" &&
    typeof checkpoint.options === "object" &&
    checkpoint.options !== null &&
    typeof checkpoint.plan?.period?.from === "string" &&
    typeof checkpoint.plan.period.to === "string" &&
    Array.isArray(checkpoint.plan.columns) &&
    ["downloading", "downloaded", "finished"].includes(checkpoint.phase ?? "") &&
    Number.isSafeInteger(checkpoint.rows) &&
    Number.isSafeInteger(checkpoint.length) &&
    (checkpoint.cursor === null || typeof checkpoint.cursor === "string");
  return complete ? (checkpoint as Checkpoint) : undefined;
}

/** Equal as JSON, regardless of the order of an object's members. */
function same(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
