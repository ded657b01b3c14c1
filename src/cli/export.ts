import { runExport } from "../export/run.ts";
import type { Run } from "./commands.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal stops the export and keeps its checkpoint; a second one ends the program at once. */
export const exportCommand: Run = async ({ args, terminal }) => {
  const interruption = new AbortController();
  const handlers = SIGNALS.map((signal) => [signal, () => interruption.abort(signal)] as const);
  for (const [signal, handler] of handlers) process.once(signal, handler);
  try {
    return await runExport(args, terminal.env, {
      stdout: process.stdout,
      stderr: { write: terminal.err, isTTY: process.stderr.isTTY, columns: process.stderr.columns },
      interrupted: interruption.signal,
    });
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  }
};
