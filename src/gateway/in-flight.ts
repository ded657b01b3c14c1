/** What a list of exchanges in flight holds of each. */
export interface Listed {
  readonly id: string;
  /** Place in the list; the list's own. */
  slot: number;
}

/**
 * The exchanges in flight. A plain array whose gaps are filled from its end: a Map that gains and loses an entry per
 * request leaves its old tables behind and made the garbage collector run in full every few thousand requests.
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

  /** Slow; only asked for ids that clients choose. */
  has(id: string): boolean {
    return this.#list.some((one) => one.id === id);
  }

  /** A copy, so that its members may leave the list meanwhile. */
  all(): readonly T[] {
    return [...this.#list];
  }
}
