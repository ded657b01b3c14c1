import { constants } from "node:os";
import type { Log } from "../log.ts";

/**
 * Milliseconds in which a repeated signal counts as the same one: Ctrl-C, for example, signals the complete process group,
 * and `npm start` and `bun run` forward what they get themselves, on a busy machine some time later.
 */
export function sameSignalMs(env: Readonly<Record<string, string | undefined>>): number {
  return env["npm_lifecycle_event"] === undefined ? 20 : 250;
}

type StopSignal = "SIGTERM" | "SIGINT";

/**
 * Resolves with the first SIGTERM or SIGINT after this call. A second one ends the process immediately, with status 128 +
 * its number.
 *
 * @param lastAct - called before that exit. Synchronous.
 */
export function firstSignal(log: Log, lastAct: () => void): Promise<StopSignal> {
  const sameMs = sameSignalMs(process.env);
  return new Promise((resolve) => {
    let first: { readonly signal: StopSignal; readonly atMs: number } | undefined;
    const onSignal = (signal: StopSignal) => {
      if (first !== undefined) {
        if (signal === first.signal && performance.now() - first.atMs < sameMs) return;
        log.warn("stopped at once by a second signal", { signal });
        lastAct();
        process.exit(128 + constants.signals[signal]);
      }
      first = { signal, atMs: performance.now() };
      resolve(signal);
    };
    process.on("SIGTERM", () => onSignal("SIGTERM"));
    process.on("SIGINT", () => onSignal("SIGINT"));
  });
}
