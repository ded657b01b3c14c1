import { setTimeout as sleep } from "node:timers/promises";
import { isAway } from "./failure.ts";

/** How long a write waits, in all, for a database that is locked by a running recorder. */
const PATIENCE_MS = 5_000;

/** Tries again while the database is away: small things are written beside a running recorder, which holds the lock at times. */
export async function patiently(write: () => Promise<void>): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await write();
    } catch (cause) {
      if (!isAway(cause) || Date.now() > endsAt) throw cause;
    }
    await sleep(50);
  }
}
