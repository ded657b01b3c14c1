import { setTimeout as sleep } from "node:timers/promises";
import { isAway, isLocked } from "./failure.ts";

/** How long a write or a command waits in total for a database that another writer has locked. */
export const PATIENCE_MS = 10_000;
/** Between two attempts. */
export const PAUSE_MS = 50;

/** Retries while the database is unavailable: small writes run beside the recorder, which holds the lock at times. */
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

/** Retries while another connection locks the files; any other error is thrown immediately. */
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
