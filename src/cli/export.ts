import { addAbortSignal } from "node:stream";
import type { Screen } from "../api-client/progress.ts";
import { runExport } from "../export/run.ts";
import { runImport } from "../import/run.ts";
import type { Run } from "./command.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const exportCommand: Run = ({ args, terminal }) =>
  interruptible((interrupted) => {
    const stderr = screenOf(terminal.err);
    return runExport(args, terminal.env, { stdout: process.stdout, stderr, interrupted });
  });

export const importCommand: Run = ({ args, terminal }) =>
  interruptible((interrupted) => {
    const stderr = screenOf(terminal.err);
    const stdin = addAbortSignal(interrupted, process.stdin); // it may never deliver anything
    return runImport(args, terminal.env, { stdin, stderr, interrupted });
  });

/** The first signal stops the export and keeps its checkpoint; a second one ends the program immediately. */
async function interruptible(work: (interrupted: AbortSignal) => Promise<number>): Promise<number> {
  const interruption = new AbortController();
  const handlers = SIGNALS.map((signal) => [signal, () => interruption.abort(signal)] as const);
  for (const [signal, handler] of handlers) process.once(signal, handler);
  try {
    return await work(interruption.signal);
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  }
}

function screenOf(write: (text: string) => void): Screen {
  const { stderr } = process;
  // Read each time, because windows are resized.
  return {
    write,
    isTTY: stderr.isTTY,
    get columns() {
      return stderr.columns;
    },
  };
}
