import { setTimeout as sleep } from "node:timers/promises";
import { isAway, isLocked } from "./failure.ts";

/** How long a write, or a command, waits in all for a database that another writer holds. */
export const PATIENCE_MS = 10_000;
/** Between two tries. */
export const PAUSE_MS = 50;

/** Tries again while the database is away: small things are written beside a running recorder, which holds the lock at times. */
export async function patiently<T = void>(write: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await write();
    } catch (cause) {
      if (!isAway(cause) || performance.now() > endsAt) throw cause;
    }
    await sleep(PAUSE_MS);
  }
}

/** Tries again while another connection holds the files; what else is wrong with them is said at once. */
export async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(isAway(error) ? error.cause : error) || performance.now() > endsAt) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
