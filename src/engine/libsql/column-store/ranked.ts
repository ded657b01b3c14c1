import { setImmediate as nextTurn } from "node:timers/promises";
import { percentiles } from "./percentiles.ts";
import { Sums } from "./sums.ts";

/** Values of one measure with their groups, to be ranked. */
export class Ranked {
  readonly #sums = new Sums();
  readonly #rows: (readonly [groups: Uint32Array, values: Float64Array])[] = [];
  #groupCount = 0;

  /** @param values - of each row; NaN means no value. */
  add(groups: Uint32Array, values: Float64Array, groupCount: number): void {
    this.#groupCount = groupCount;
    this.#sums.add(groups, values, groupCount);
    this.#rows.push([groups, values]);
  }

  averageOf(group: number): number | null {
    const known = this.#sums.known(group);
    return known === 0 ? null : this.#sums.of(group)! / known;
  }

  /** Percentiles of these groups, by group number. */
  async percentiles(
    shown: readonly number[],
    percentages: readonly number[],
  ): Promise<ReadonlyMap<number, (number | null)[]>> {
    const lists = new Map(shown.map((group) => [group, new Float64Array(this.#sums.known(group))]));
    const byGroup: (Float64Array | undefined)[] = [];
    for (const [group, list] of lists) byGroup[group] = list;
    const ends = new Float64Array(this.#groupCount);
    for (const [groups, values] of this.#rows) {
      for (let row = 0; row < groups.length; row++) {
        const value = values[row]!;
        if (Number.isNaN(value)) continue;
        const list = byGroup[groups[row]!];
        if (list !== undefined) list[ends[groups[row]!]!++] = value;
      }
      await nextTurn();
    }
    const found = new Map<number, (number | null)[]>();
    for (const [group, list] of lists) {
      found.set(group, percentiles(list, percentages));
      if (list.length > VALUES_A_TURN) await nextTurn();
    }
    return found;
  }
}

/** Values ranked before other work on this thread gets a turn. */
const VALUES_A_TURN = 10_000;
