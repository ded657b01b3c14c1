import * as fs from "node:fs";
import type { Journal } from "./journal.ts";

/**
 * Syncs the journal to disk off the calling thread: `fdatasync` runs in the runtime's thread pool, so that the event loop
 * does not wait for the disk. At most one sync runs at a time; callers during a sync wait for the next one.
 */
export class Syncer {
  readonly #journal: Journal;
  readonly #onError: (error: Error) => void;
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  constructor(journal: Journal, onError: (error: Error) => void) {
    this.#journal = journal;
    this.#onError = onError;
  }

  /** Resolves once everything appended before the call is on disk, or the sync has failed. */
  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#following ??= this.#running.then(() => {
      this.#following = undefined;
      return this.#start();
    });
    return this.#following;
  }

  #start(): Promise<void> {
    this.#running = this.#pass().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #pass(): Promise<void> {
    const { current, retired } = this.#journal.takeUnsynced();
    for (const fd of retired) {
      await this.#syncOne(fd);
      // Not on this thread: if the file is deleted by now, the last close frees all of its pages.
      await new Promise<unknown>((closed) => fs.close(fd, closed));
    }
    if (current !== -1) await this.#syncOne(current);
  }

  #syncOne(fd: number): Promise<void> {
    return new Promise((resolve) => {
      fs.fdatasync(fd, (error) => {
        if (error) this.#onError(error);
        resolve();
      });
    });
  }
}
