/** An exchange as the list of exchanges in flight holds it. */
export interface Listed {
  readonly id: string;
  /** Index in the list; managed by the list. */
  slot: number;
}

/**
 * The exchanges in flight. A plain array whose gaps are filled from its end: a Map that gains and loses an entry per request
 * leaves its old tables behind and caused a full garbage collection every few thousand requests.
 */
export class InFlight<T extends Listed> {
  readonly #list: T[] = [];

  get size(): number {
    return this.#list.length;
  }

  add(one: T): void {
    one.slot = this.#list.length;
    this.#list.push(one);
  }

  remove(one: T): void {
    const last = this.#list.pop();
    if (last === undefined || last === one) return;
    last.slot = one.slot;
    this.#list[one.slot] = last;
  }

  /** Slow; only called for ids that clients choose. */
  has(id: string): boolean {
    return this.#list.some((one) => one.id === id);
  }

  /** A copy, so that members may leave the list during iteration. */
  all(): readonly T[] {
    return [...this.#list];
  }
}
