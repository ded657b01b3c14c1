import { constants } from "node:os";
import type { Log } from "../observe.ts";

/**
 * The same signal so soon after the first is the first one: Ctrl-C goes to a whole process group, and `npm start` and
 * `bun run` pass on what they get themselves.
 */
const SAME_SIGNAL_MS = 20;

type StopSignal = "SIGTERM" | "SIGINT";

/**
 * Resolves with the first SIGTERM or SIGINT, from the moment this is called. A second one ends the process at once, with
 * status 128 + its number.
 *
 * @param lastAct - what must still happen then. Synchronous.
 */
export function firstSignal(log: Log, lastAct: () => void): Promise<StopSignal> {
  return new Promise((resolve) => {
    let first: { readonly signal: StopSignal; readonly atMs: number } | undefined;
    const onSignal = (signal: StopSignal) => {
      if (first !== undefined) {
        if (signal === first.signal && performance.now() - first.atMs < SAME_SIGNAL_MS) return;
        log.warn("ended at once by a second signal", { signal });
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
