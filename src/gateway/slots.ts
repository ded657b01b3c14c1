/** A member of `Slots`. */
export interface Slotted {
  /** Index in the list; managed by the list. */
  slot: number;
}

/**
 * Members that come and go with each request. A plain array whose gaps are filled from its end: a Map or Set that gains and
 * loses an entry per request leaves its old tables behind, each referring to the next. They kept whole requests from the
 * small garbage collections and caused a full one every few thousand requests.
 */
export class Slots<T extends Slotted> {
  readonly #list: T[] = [];

  get size(): number {
    return this.#list.length;
  }

  add(one: T): void {
    one.slot = this.#list.length;
    this.#list.push(one);
  }

  /** Does nothing if it is no member. */
  remove(one: T): void {
    const { slot } = one;
    if (this.#list[slot] !== one) return;
    const last = this.#list.pop()!;
    if (last === one) return;
    last.slot = slot;
    this.#list[slot] = last;
  }

  some(test: (one: T) => boolean): boolean {
    return this.#list.some(test);
  }

  /** A copy, so that members may leave the list during iteration. */
  all(): readonly T[] {
    return [...this.#list];
  }
}
