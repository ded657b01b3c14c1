import { type Log, messageOf } from "../log.ts";

/** Runs never overlap: a run that is due during the previous one is skipped. */
export const CRON = { timezone: "UTC", protect: true, unref: true };

/** Runs tasks one after another, in the order of the calls. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {}); // the caller gets the error
    return done;
  }

  /** Resolves when all earlier tasks are done. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Runs work in its turn and logs a failure, once while the message stays the same. Never rejects. */
export function inQueue(queue: Queue, log: Log): (work: () => Promise<unknown>) => Promise<void> {
  let failed: string | undefined;
  return async (work) => {
    try {
      await queue.run(work);
      failed = undefined;
    } catch (error) {
      // An unreachable database fails every second.
      if (failed !== messageOf(error)) log.warn("a job failed and will be retried", { error: messageOf(error) });
      failed = messageOf(error);
    }
  };
}
