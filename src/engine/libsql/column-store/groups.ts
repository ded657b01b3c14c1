import { propertyName } from "../../../filter/property-names.ts";
import type { Key } from "../../aggregates.ts";
import type { Mask } from "./filter.ts";
import type { Texts } from "./packing.ts";
import type { BlockView } from "./view.ts";

/** A dimension of rows: one code per row, and at most `count` codes. */
interface Coded {
  readonly codes: Uint32Array;
  readonly count: number;
  readonly keyOf: (code: number) => Key;
}

export type Dimension = (view: BlockView) => Promise<Coded>;

/** Up to this many combinations of codes are looked up in an array, more in a map. */
const TABLE_MAX = 1 << 20;
/** Key and group numbers stay below this, so that two of them can be combined into one number. */
const NUMBERED_MAX = 2 ** 26;

/** The number for rows that the filter does not select. */
const NO_GROUP = 0;
/** The group of all records when there is no grouping. */
export const ALL_RECORDS = 1;

/** Assigns numbers, from 1, to the groups that occur in many blocks. */
export class Groups {
  readonly #dimensions: readonly Dimension[];
  readonly #keys: readonly { readonly numbers: Map<Key, number>; readonly values: Key[] }[];
  /** Maps keys to a group number, one key per step; the last step gives the group. */
  readonly #steps: readonly Map<number, number>[];
  readonly #groups: number[][] = [[]];

  constructor(dimensions: readonly Dimension[]) {
    this.#dimensions = dimensions;
    this.#keys = dimensions.map(() => ({ numbers: new Map(), values: [] }));
    this.#steps = dimensions.map(() => new Map());
    if (dimensions.length === 0) this.#groups.push([]);
  }

  /** One more than the highest group number. */
  get count(): number {
    return this.#groups.length;
  }

  keysOf(group: number): Key[] {
    return this.#groups[group]!.map((number, at) => this.#keys[at]!.values[number]!);
  }

  /** The group number of each row. */
  async ofRows(view: BlockView, mask: Mask): Promise<Uint32Array> {
    const { rows } = view.part;
    if (mask === false) return new Uint32Array(rows);
    const coded = await Promise.all(this.#dimensions.map((dimension) => dimension(view)));
    const combinations = combine(coded, rows);
    const newGroup = (row: number) => this.groupOf(coded.map(({ codes, keyOf }) => keyOf(codes[row]!)));
    const count = coded.reduce((product, each) => product * each.count, 1);
    return count <= TABLE_MAX ? byTable(combinations, count, mask, newGroup) : byMap(combinations, mask, newGroup);
  }

  /** The number of a group; a new number for a new group. */
  groupOf(keys: readonly Key[]): number {
    if (this.#dimensions.length === 0) return ALL_RECORDS;
    if (keys.length === 1) {
      const number = numberOf(this.#keys[0]!, keys[0]!);
      if (number + 1 === this.#groups.length) this.#groups.push([number]);
      return number + 1;
    }
    const numbers = keys.map((key, at) => numberOf(this.#keys[at]!, key));
    let step = 0;
    for (const [at, number] of numbers.entries()) {
      const steps = this.#steps[at]!;
      const place = step * NUMBERED_MAX + number;
      const isLast = at === numbers.length - 1;
      step = steps.get(place) ?? (isLast ? this.#groups.push(numbers) - 1 : steps.size + 1);
      steps.set(place, step);
    }
    return step;
  }
}

function numberOf({ numbers, values }: { numbers: Map<Key, number>; values: Key[] }, key: Key): number {
  let number = numbers.get(key);
  if (number === undefined) {
    number = values.push(key) - 1;
    numbers.set(key, number);
  }
  return number;
}

/** Combines the codes of a row into one number. */
function combine(coded: readonly Coded[], rows: number): Uint32Array | Float64Array {
  const [first, ...others] = coded;
  if (first === undefined) return new Uint32Array(rows);
  if (others.length === 0) return first.codes;
  const combined = Float64Array.from(first.codes);
  for (const { codes, count } of others) {
    for (let row = 0; row < rows; row++) combined[row] = combined[row]! * count + codes[row]!;
  }
  return combined;
}

type NewGroup = (row: number) => number;

function byTable(combinations: Uint32Array | Float64Array, count: number, mask: Mask, newGroup: NewGroup): Uint32Array {
  const known = new Uint32Array(count);
  const groups = new Uint32Array(combinations.length);
  for (let row = 0; row < groups.length; row++) {
    if (mask !== true && (mask as Uint8Array)[row] === 0) continue;
    const combination = combinations[row]!;
    let group = known[combination]!;
    if (group === NO_GROUP) {
      group = newGroup(row);
      known[combination] = group;
    }
    groups[row] = group;
  }
  return groups;
}

function byMap(combinations: Uint32Array | Float64Array, mask: Mask, newGroup: NewGroup): Uint32Array {
  const known = new Map<number, number>();
  const groups = new Uint32Array(combinations.length);
  for (let row = 0; row < groups.length; row++) {
    if (mask !== true && (mask as Uint8Array)[row] === 0) continue;
    const combination = combinations[row]!;
    let group = known.get(combination);
    if (group === undefined) {
      group = newGroup(row);
      known.set(combination, group);
    }
    groups[row] = group;
  }
  return groups;
}

export const byText =
  (name: Parameters<BlockView["texts"]>[0]): Dimension =>
  async (view) =>
    ofTexts(await view.texts(name));

export const byNumber =
  (name: Parameters<BlockView["numbers"]>[0]): Dimension =>
  async (view) => {
    const numbers = await view.numbers(name);
    const known = new Map<number, number>();
    const codes = new Uint32Array(numbers.length);
    let last = Number.NaN;
    let code = -1;
    for (let row = 0; row < codes.length; row++) {
      const number = numbers[row]!;
      if (number !== last || code < 0) {
        code = known.get(number) ?? known.size;
        if (code === known.size) known.set(number, code);
        last = number;
      }
      codes[row] = code;
    }
    const keys = [...known.keys()];
    return { codes, count: keys.length, keyOf: (at) => (Number.isNaN(keys[at]!) ? null : keys[at]!) };
  };

/** @param length - of a bucket in milliseconds. */
export const byTime =
  (length: number): Dimension =>
  async (view) => {
    const { first_created, last_created } = view.part;
    const bucket = (time: number) => Math.floor(time / length);
    const first = bucket(first_created);
    const count = bucket(last_created) - first + 1;
    const codes = new Uint32Array(view.part.rows);
    if (count > 1) {
      const times = await view.numbers("request_created_at");
      // Records are almost ordered by time: most are in the same bucket as the previous one.
      let [code, from, to] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let row = 0; row < codes.length; row++) {
        const time = times[row]!;
        if (time < from || time >= to) {
          code = bucket(time) - first;
          from = (first + code) * length;
          to = from + length;
        }
        codes[row] = code;
      }
    }
    return { codes, count, keyOf: (code) => (first + code) * length };
  };

/** The value under the name itself, otherwise the one under its spelling without case. */
export const byProperty =
  (name: string): Dimension =>
  async (view) => {
    const { exact, erased } = propertyName(name);
    const own = await view.property(exact);
    const marks = erased === undefined ? undefined : await view.erased(erased);
    if (marks === undefined) return ofTexts(own);
    const other = await view.property(erased!);
    const codes = own.codes.map((code, row) =>
      code === 0 && marks[row] === 1 && other.codes[row] !== 0 ? own.values.length + other.codes[row]! : code,
    );
    return ofTexts({ codes, values: [...own.values, ...other.values] });
  };

function ofTexts({ codes, values }: Texts): Coded {
  return { codes, count: values.length + 1, keyOf: (code) => (code === 0 ? null : values[code - 1]!) };
}
