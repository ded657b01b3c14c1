import type { Numbers, Texts } from "./packing.ts";

/** A text column that is filled row by row, up to a known length; rows that are not set are null. */
export class TextRows {
  readonly #codes: Uint32Array;
  readonly #places = new Map<string, number>();
  #last: string | undefined;
  #lastPlace = 0;

  constructor(length: number) {
    this.#codes = new Uint32Array(length);
  }

  set(row: number, value: string): void {
    // In most columns most rows repeat the value before them.
    if (value !== this.#last) {
      this.#last = value;
      this.#lastPlace = this.#placeOf(value);
    }
    this.#codes[row] = this.#lastPlace;
  }

  /** @param order - the rows to take, in their order. */
  inOrder(order: Uint32Array): Texts {
    return { codes: order.map((row) => this.#codes[row]!), values: [...this.#places.keys()] };
  }

  #placeOf(value: string): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    const place = this.#places.size + 1;
    this.#places.set(value, place);
    return place;
  }
}

/** A number column that is filled row by row, up to a known length; rows that are not set are NaN. */
export class NumberRows {
  readonly #values: Numbers;

  constructor(length: number) {
    this.#values = new Float64Array(length).fill(Number.NaN);
  }

  set(row: number, value: number): void {
    this.#values[row] = value;
  }

  inOrder(order: Uint32Array): Numbers {
    const values = new Float64Array(order.length);
    for (let at = 0; at < order.length; at++) values[at] = this.#values[order[at]!]!;
    return values;
  }
}
