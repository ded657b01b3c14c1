import { setPriority } from "node:os";

/** Nice value of threads that can wait a little. */
const BACKGROUND = 5;

/**
 * Lets traffic go first where the processor is short: the calling thread becomes less urgent.
 *
 * Only on Linux, where process 0 means the calling thread alone; elsewhere it would be the whole program.
 */
export function yieldToTraffic(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, BACKGROUND);
  } catch {
    return; // a container may forbid it, and all works without
  }
}
