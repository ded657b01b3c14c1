/** A wait that can be cut short. One wait at a time. */
export class Pause {
  #end: (() => void) | undefined;

  async for(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#end = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#end = undefined;
  }

  /** Ends the wait, if there is one. */
  end(): void {
    this.#end?.();
  }
}
