import type { Queue } from "../queue.ts";
import type { Pace } from "./pace.ts";

/**
 * Checks for work every `everyMs`; checks never overlap. Does not keep the process alive. `stop` ends after the current step
 * and resolves when that is done.
 *
 * @param look - never rejects.
 */
export function nowAndThen(
  { queue, pace }: { readonly queue: Queue; readonly pace: Pace },
  everyMs: number,
  look: () => Promise<void>,
): { stop(): Promise<void> } {
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    await look();
    isLooking = false;
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      pace.stop();
      await queue.idle();
    },
  };
}
