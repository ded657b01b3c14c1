import { constants } from "node:os";
import type { Log } from "../observe.ts";

type Signal = "SIGTERM" | "SIGINT";

export interface StopOptions {
  readonly log: Log;
  /** Stops everything in order. */
  readonly stop: (signal: Signal) => Promise<void>;
  /** What must still happen when a second signal ends the process at once. Synchronous. */
  readonly lastAct: () => void;
}

/** Resolves once a first SIGTERM or SIGINT has stopped everything. A second one ends the process: 128 + its number. */
export function stopOnSignal({ log, stop, lastAct }: StopOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const onSignal = (signal: Signal) => {
      if (stopping) {
        log.warn("ended at once by a second signal", { signal });
        lastAct();
        process.exit(128 + constants.signals[signal]);
      }
      stopping = true;
      stop(signal).then(resolve, reject);
    };
    process.on("SIGTERM", () => onSignal("SIGTERM"));
    process.on("SIGINT", () => onSignal("SIGINT"));
  });
}
