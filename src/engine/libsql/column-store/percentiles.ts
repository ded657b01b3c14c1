/**
 * For each percentage, in ascending order, the lowest value that at least that percentage of all values do not exceed
 * (nearest rank); null when there are no values. Reorders `values`.
 */
export function percentiles(values: Float64Array, percentages: readonly number[]): (number | null)[] {
  let from = 0;
  return percentages.map((percentage) => {
    if (values.length === 0) return null;
    // Multiplies first: 0.95 * 20 is slightly more than 19 in floating point and would be rounded up to 20.
    const place = Math.ceil((values.length * percentage) / 100) - 1;
    const value = select(values, place, from);
    from = place;
    return value;
  });
}

/** Below this many values sorting is faster. */
const SORTED_MAX = 64;

/** The value at `place` in ascending order, given that the values before `from` are the lowest. Hoare's quickselect. */
function select(values: Float64Array, place: number, from: number): number {
  let low = from;
  let high = values.length - 1;
  while (high - low > SORTED_MAX) {
    const pivot = medianOf(values[low]!, values[(low + high) >>> 1]!, values[high]!);
    let left = low - 1;
    let right = high + 1;
    for (;;) {
      do left++;
      while (values[left]! < pivot);
      do right--;
      while (values[right]! > pivot);
      if (left >= right) break;
      const value = values[left]!;
      values[left] = values[right]!;
      values[right] = value;
    }
    if (place <= right) high = right;
    else low = right + 1;
  }
  values.subarray(low, high + 1).sort();
  return values[place]!;
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
