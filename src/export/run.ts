import type { Writable } from "node:stream";
import { createClient } from "../api-client/client.ts";
import { EXIT, ExportFailure, exitOfSignal, usageProblems } from "../api-client/failure.ts";
import { clock, count, createProgress, type Screen, size } from "../api-client/progress.ts";
import { PACE, type Pace } from "../api-client/retry.ts";
import type { Environment } from "../api-client/service.ts";
import { checkpointPath } from "./checkpoint.ts";
import { type ExportOptions, readOptions } from "./options.ts";
import { exists, ReaderGone } from "./output.ts";
import { placeOfGiven } from "./period.ts";
import { type TransferResult, transfer } from "./transfer.ts";

/** An export's environment besides the network and its files. */
export interface ExportIo {
  readonly stdout: Writable;
  readonly stderr: Screen;
  /** Aborted by a signal, with the signal's name, such as `SIGINT`, as the reason. */
  readonly interrupted?: AbortSignal;
  readonly pace?: Partial<Pace>;
  /** Milliseconds between two plain lines of progress; default 10 s. */
  readonly lineEveryMs?: number;
}

/**
 * `weir export`: downloads recorded requests through the query API.
 *
 * @param argv - the words after `export` on the command line.
 * @returns the exit status; failures are printed, never thrown.
 */
export async function runExport(argv: readonly string[], env: Environment, io: ExportIo): Promise<number> {
  const say = (text: string) => io.stderr.write(`weir export: ${text}\n`);
  let options: ExportOptions;
  try {
    options = readOptions(argv, env);
  } catch (error) {
    for (const problem of usageProblems(error)) say(`${problem} (see weir help export)`);
    return EXIT.usage;
  }
  return exportWith(options, io, say);
}

async function exportWith(options: ExportOptions, io: ExportIo, say: (text: string) => void): Promise<number> {
  // Aborted at the end as well, so that a page requested ahead is cancelled after a failure.
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(io.interrupted === undefined ? [] : [io.interrupted])]);
  const pace = { ...PACE, ...io.pace };
  const progress = createProgress({
    screen: io.stderr,
    quiet: options.quiet,
    lineEveryMs: io.lineEveryMs ?? 10_000,
  });
  const filterPlace = placeOfGiven(options.properties);
  const warnings = new Set<string>();
  const onWarning = (text: string) => void warnings.add(text);
  const client = createClient({ ...options, filterPlace, pace, signal, onWait: progress.waiting, onWarning });
  try {
    const outcome = await transfer({ options, client, progress, stdout: io.stdout, signal, nowMs: Date.now() });
    progress.stop();
    if (!options.quiet) say(summary(outcome, options));
    for (const warning of [...warnings, ...(outcome?.warnings ?? [])]) say(`warning: ${warning}`);
    return EXIT.done;
  } catch (error) {
    progress.stop();
    return await report(error, options, io, say);
  } finally {
    ended.abort();
  }
}

/** Prints why the export did not finish, and how to continue. */
async function report(
  error: unknown,
  options: ExportOptions,
  io: ExportIo,
  say: (text: string) => void,
): Promise<number> {
  const resumable = options.output !== "-" && (await exists(checkpointPath(options.output)).catch(() => false));
  const hint = resumable ? "; continue with --resume" : "";
  if (io.interrupted?.aborted) {
    const name = String(io.interrupted.reason);
    say(`stopped by ${name}${hint}`);
    return exitOfSignal(name);
  }
  if (error instanceof ReaderGone) return EXIT.failed;
  if (error instanceof ExportFailure) {
    say(`${error.message}${error.kind === "failed" ? hint : ""}`);
    return EXIT[error.kind];
  }
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}

function summary(outcome: TransferResult | undefined, { output }: ExportOptions): string {
  if (outcome === undefined) return `${output} has no checkpoint beside it, so it is complete: nothing to resume`;
  const { rows, bytes, newRows, seconds } = outcome;
  const rate = seconds > 0 ? `, ${count(Math.round(newRows / seconds))}/s` : "";
  const target = output === "-" ? "stdout" : output;
  return `${count(rows, "record")}, ${size(bytes)} in ${clock(seconds)}${rate} to ${target}`;
}
