import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { type Client, createClient, printable } from "../api-client/client.ts";
import { EXIT, ExportFailure, exitOfSignal, usageProblems } from "../api-client/failure.ts";
import { clock, count, createProgress, type Progress, type Screen } from "../api-client/progress.ts";
import { PACE, type Pace } from "../api-client/retry.ts";
import type { Environment } from "../api-client/service.ts";
import { fileProblem } from "../file-problem.ts";
import { type Checkpoint, loadCheckpoint, removeCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { type ImportOptions, readOptions } from "./options.ts";
import { type Counts, Sender } from "./sender.ts";
import { type Found, RecordSplitter } from "./source.ts";

/** An import's environment besides the network and its files. */
export interface ImportIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stderr: Screen;
  /** Aborted by a signal, with the signal's name, such as `SIGINT`, as the reason. */
  readonly interrupted?: AbortSignal;
  readonly pace?: Partial<Pace>;
  /** Milliseconds between two plain lines of progress; default 10 s. */
  readonly lineEveryMs?: number;
}

/** Maximum broken lines printed; the rest is only counted. */
const PRINTED_MAX = 1_000;
/** Maximum names of dropped members that are counted. */
const UNKNOWN_MAX = 1_000;

interface Job {
  readonly options: ImportOptions;
  readonly client: Client;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Prints a line without breaking the progress bar. */
  readonly print: (text: string) => void;
  readonly total: Counts;
  readonly unknown: Map<string, number>;
}

/**
 * `weir import`: imports exported records.
 *
 * @param argv - the words after `import` on the command line.
 * @returns the exit status; failures are printed, never thrown.
 */
export async function runImport(argv: readonly string[], env: Environment, io: ImportIo): Promise<number> {
  const say = (text: string) => io.stderr.write(`weir import: ${text}\n`);
  let options: ImportOptions;
  try {
    options = readOptions(argv, env);
  } catch (error) {
    for (const problem of usageProblems(error)) say(`${problem} (see weir help import)`);
    return EXIT.usage;
  }
  return importWith(options, io, say);
}

async function importWith(options: ImportOptions, io: ImportIo, say: (text: string) => void): Promise<number> {
  const signal = io.interrupted ?? new AbortController().signal;
  const progress = createProgress({
    screen: io.stderr,
    quiet: options.quiet,
    lineEveryMs: io.lineEveryMs ?? 10_000,
    command: "weir import",
  });
  const client = createClient({ ...options, pace: { ...PACE, ...io.pace }, signal, onWait: progress.waiting });
  const print = (text: string) => {
    if (io.stderr.isTTY && !options.quiet) io.stderr.write("\r\x1b[2K");
    say(text);
  };
  const total: Counts = { imported: 0, existing: 0, rejected: 0 };
  const job: Job = { options, client, progress, signal, stdin: io.stdin, print, total, unknown: new Map() };
  const started = performance.now();
  try {
    let missing = 0;
    for (const file of options.files) if (!(await importFile(job, file))) missing++;
    progress.stop();
    if (!options.quiet) summarize(job, (performance.now() - started) / 1000, say);
    return total.rejected + missing === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    progress.stop();
    return report(error, options, io, say);
  }
}

/** @returns false if the file cannot be read. */
async function importFile(job: Job, file: string): Promise<boolean> {
  const { options, signal, print } = job;
  const source = await open(job, file);
  if (source === undefined) return false;
  const { checkpoint, size, chunks, save } = source;
  const splitter = new RecordSplitter(checkpoint);
  const rejected = rejectedLines(print, file);
  let [records, skipped] = [0, checkpoint?.end ?? 0];
  job.progress.phase(options.files.length === 1 ? "importing" : `importing ${file}`, 0);
  const sender = new Sender({
    client: job.client,
    brand: options.brand,
    onRejected: rejected.print,
    onUnknown: (name) => {
      const known = job.unknown.size < UNKNOWN_MAX || job.unknown.has(name) ? name : "others";
      job.unknown.set(known, (job.unknown.get(known) ?? 0) + 1);
    },
    onSent: async ({ number, end }, sent) => {
      records += sent;
      // The total is unknown: it is estimated from the remaining bytes.
      if (size !== undefined && end > skipped)
        job.progress.expect(Math.round((records * (size - skipped)) / (end - skipped)));
      job.progress.advance(sent, 0);
      await save({ shape: splitter.shape, number, end }, sender.counts.rejected);
    },
  });
  let last: Found | undefined;
  try {
    for await (const chunk of chunks) {
      for (const found of splitter.push(chunk)) {
        signal.throwIfAborted();
        last = found;
        await sender.add(found);
      }
    }
    for (const found of splitter.finish()) {
      last = found;
      await sender.add(found);
    }
    await sender.flush(last);
  } catch (error) {
    if (!isFileError(error)) throw error;
    print(`${file}: ${fileProblem(error)}`);
    return false;
  } finally {
    rejected.rest();
    job.total.imported += sender.counts.imported;
    job.total.existing += sender.counts.existing;
    job.total.rejected += sender.counts.rejected + (checkpoint?.rejected ?? 0);
  }
  if (file !== "-") await removeCheckpoint(file);
  return true;
}

interface Source {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly size: number | undefined;
  readonly checkpoint: Checkpoint | undefined;
  readonly save: (place: Pick<Checkpoint, "shape" | "number" | "end">, rejected: number) => Promise<void>;
}

async function open({ options, stdin, print }: Job, file: string): Promise<Source | undefined> {
  if (file === "-") return { chunks: stdin, size: undefined, checkpoint: undefined, save: async () => {} };
  try {
    const { size, mtimeMs: modifiedMs } = await stat(file);
    const of = { apiUrl: options.apiUrl, brand: options.brand ?? null, size, modifiedMs };
    const checkpoint = options.resume ? await loadCheckpoint(file, of) : undefined;
    const before = checkpoint?.rejected ?? 0;
    return {
      chunks: createReadStream(file, { start: checkpoint?.end ?? 0, highWaterMark: 1 << 20 }),
      size,
      checkpoint,
      // In a read-only directory only the checkpoint is lost.
      save: (place, rejected) =>
        saveCheckpoint(file, { version: 1, ...of, ...place, rejected: before + rejected }).catch(() => {}),
    };
  } catch (error) {
    if (!isFileError(error)) throw error;
    print(`${file}: ${fileProblem(error)}`);
    return undefined;
  }
}

function rejectedLines(print: (text: string) => void, file: string) {
  let printed = 0;
  const name = file === "-" ? "stdin" : file;
  return {
    print: (number: number, why: string, id: string | null) => {
      printed++;
      if (printed <= PRINTED_MAX)
        print(`${name}:${number}: ${printable(why)}${id === null ? "" : ` (${printable(id)})`}`);
    },
    rest: () => {
      if (printed > PRINTED_MAX) print(`${name}: ${count(printed - PRINTED_MAX)} more cannot be imported`);
    },
  };
}

function isFileError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "syscall" in error && typeof (error as { code?: unknown }).code === "string";
}

function summarize({ total, unknown }: Job, seconds: number, say: (text: string) => void): void {
  const { imported, existing, rejected } = total;
  const failed = rejected === 0 ? "" : `, ${count(rejected)} not taken`;
  say(`${count(imported, "record")} imported, ${count(existing)} existed already${failed}, in ${clock(seconds)}`);
  if (unknown.size === 0) return;
  const names = [...unknown].sort((a, b) => b[1] - a[1]).slice(0, 20);
  const rest = unknown.size > names.length ? ` and ${unknown.size - names.length} more` : "";
  say(`left out: ${names.map(([name, times]) => `${printable(name)} (${count(times)})`).join(", ")}${rest}`);
}

/** Prints why the import stopped. */
function report(error: unknown, { files }: ImportOptions, io: ImportIo, say: (text: string) => void): number {
  const hint = `; run it again${files.includes("-") ? "" : ", with --resume to continue where it stopped"}`;
  if (io.interrupted?.aborted) {
    const name = String(io.interrupted.reason);
    say(`stopped by ${name}${hint}`);
    return exitOfSignal(name);
  }
  if (error instanceof ExportFailure) {
    say(`${error.message}${hint}`);
    return EXIT.failed;
  }
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
