/** One sum per group; groups are numbered from 0. */
export class Sums {
  #sums = new Float64Array(64);
  /** What the sums lost to rounding (Neumaier summation): billions of small costs stay exact. */
  #lost = new Float64Array(64);
  #known = new Float64Array(64);

  /** Adds a row's value to its group; NaN means no value. */
  add(groups: Uint32Array, values: Float64Array, groupCount: number): void {
    this.#grow(groupCount);
    const [sums, lost, known] = [this.#sums, this.#lost, this.#known];
    for (let row = 0; row < groups.length; row++) {
      const value = values[row]!;
      if (Number.isNaN(value)) continue;
      const group = groups[row]!;
      const sum = sums[group]!;
      const next = sum + value;
      lost[group]! += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sums[group] = next;
      known[group]!++;
    }
  }

  /** Null when the group has no value. */
  of(group: number): number | null {
    return this.known(group) === 0 ? null : this.#sums[group]! + this.#lost[group]!;
  }

  /** Number of values in the group. */
  known(group: number): number {
    return this.#known[group] ?? 0;
  }

  /** Adds the sum of further values of one group. */
  addSum(group: number, sum: number, known: number): void {
    if (known === 0) return;
    this.add(Uint32Array.of(group), Float64Array.of(sum), group + 1);
    this.#known[group]! += known - 1;
  }

  #grow(groupCount: number): void {
    if (groupCount <= this.#sums.length) return;
    const length = Math.max(groupCount, this.#sums.length * 2);
    this.#sums = grown(this.#sums, length);
    this.#lost = grown(this.#lost, length);
    this.#known = grown(this.#known, length);
  }
}

/** A longer copy of the array. */
export function grown(values: Float64Array, length: number, fill = 0): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length);
  longer.set(values);
  if (fill !== 0) longer.fill(fill, values.length);
  return longer;
}
