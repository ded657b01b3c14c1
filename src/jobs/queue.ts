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
