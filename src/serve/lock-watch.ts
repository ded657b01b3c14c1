import type { Log } from "../log.ts";
import type { DirectoryLock } from "../store/database/lock.ts";

const CHECK_MS = 1_000;

interface LockWatch {
  /** Rejects once another program holds one of the directories: this one must stop writing there. */
  readonly lost: Promise<never>;
  end(): void;
}

/** Checks each second whether the lock files are still the ones that this program holds. */
export function watchLocks(locks: readonly DirectoryLock[], log: Log): LockWatch {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined); // the waiting caller gets the error
  const timer = setInterval(() => {
    for (const lock of locks) {
      const state = lock.check();
      if (state === "retaken") log.warn("weir.lock was deleted while the service runs; it is locked again");
      if (state === "lost") reject(new Error("another weir serve uses the data directory: weir.lock was deleted"));
    }
  }, CHECK_MS);
  timer.unref();
  return { lost, end: () => clearInterval(timer) };
}
