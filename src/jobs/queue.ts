import { type Log, messageOf } from "../observe.ts";

/** Never twice at once: a run that is due while the one before is under way is left out. */
export const CRON = { timezone: "UTC", protect: true, unref: true };

/** Does one thing after another, in the order in which they were asked for. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {}); // whoever asked is told
    return done;
  }

  /** Resolves when all that was asked for before is done. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Runs work in its turn and says what fails, once for as long as it fails the same way. Never rejects. */
export function inQueue(queue: Queue, log: Log): (work: () => Promise<unknown>) => Promise<void> {
  let failed: string | undefined;
  return async (work) => {
    try {
      await queue.run(work);
      failed = undefined;
    } catch (error) {
      // A database that is away fails every second.
      if (failed !== messageOf(error)) log.warn("a job failed; it is tried again", { error: messageOf(error) });
      failed = messageOf(error);
    }
  };
}
