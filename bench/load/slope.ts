/** Two-sided 95 % quantiles of Student's t by degrees of freedom; from the last one on the normal distribution's. */
const T95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1];

/** How fast values grow: the least-squares slope, and half the width of its 95 % confidence interval. */
export interface Slope {
  readonly perStep: number;
  readonly plusMinus: number;
}

/** @param values - one for each step; NaN for both where there are fewer than three. */
export function slopeOf(values: readonly number[]): Slope {
  const count = values.length;
  if (count < 3) return { perStep: Number.NaN, plusMinus: Number.NaN };
  const meanX = (count - 1) / 2;
  const meanY = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, _value, x) => sum + (x - meanX) ** 2, 0);
  const perStep = values.reduce((sum, value, x) => sum + (x - meanX) * (value - meanY), 0) / squares;
  const rest = values.reduce((sum, value, x) => sum + (value - meanY - perStep * (x - meanX)) ** 2, 0);
  const t = T95[count - 3] ?? 1.96 + 2.4 / (count - 2);
  return { perStep, plusMinus: t * Math.sqrt(rest / (count - 2) / squares) };
}
