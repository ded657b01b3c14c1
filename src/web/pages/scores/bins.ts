/** Requests that have one value of a score. */
export interface Value {
  readonly value: number;
  readonly requests: number;
}

/** Requests whose score is in a range. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  /** Whether `to` is included: for the last bin, or a single value. */
  readonly isClosed: boolean;
  readonly requests: number;
}

const BINS_MAX = 10;

/** The distribution of values: individually if there are few, else in bins of equal width. In ascending order. */
export function binsOf(values: readonly Value[]): readonly Bin[] {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  if (sorted.length <= BINS_MAX)
    return sorted.map(({ value, requests }) => ({ from: value, to: value, isClosed: true, requests }));
  const [least, most] = [sorted[0]!.value, sorted.at(-1)!.value];
  const edges = [least];
  for (let at = 1; at < BINS_MAX; at++) {
    // Divides before adding, so that the largest numbers do not overflow; rounding must not reverse the order of edges.
    const edge = least * (1 - at / BINS_MAX) + most * (at / BINS_MAX);
    edges.push(Math.min(most, Math.max(edges.at(-1)!, edge)));
  }
  return edges
    .map((from, at): Bin => {
      const isClosed = at === BINS_MAX - 1;
      const to = isClosed ? most : edges[at + 1]!;
      const inside = sorted.filter(({ value }) => value >= from && (isClosed ? value <= to : value < to));
      return { from, to, isClosed, requests: inside.reduce((sum, { requests }) => sum + requests, 0) };
    })
    .filter(({ from, to, isClosed }) => isClosed || from < to);
}
