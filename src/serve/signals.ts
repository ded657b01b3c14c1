import { constants } from "node:os";
import type { Log } from "../observe.ts";

export type StopSignal = "SIGTERM" | "SIGINT";

/**
 * Resolves with the first SIGTERM or SIGINT, from the moment this is called. A second one ends the process at once, with
 * status 128 + its number.
 *
 * @param lastAct - what must still happen then. Synchronous.
 */
export function firstSignal(log: Log, lastAct: () => void): Promise<StopSignal> {
  return new Promise((resolve) => {
    let stopping = false;
    const onSignal = (signal: StopSignal) => {
      if (stopping) {
        log.warn("ended at once by a second signal", { signal });
        lastAct();
        process.exit(128 + constants.signals[signal]);
      }
      stopping = true;
      resolve(signal);
    };
    process.on("SIGTERM", () => onSignal("SIGTERM"));
    process.on("SIGINT", () => onSignal("SIGINT"));
  });
}
