import type { GivenScore, ReviewScore } from "./shapes.ts";

export interface Option {
  readonly label: string;
  readonly value: GivenScore;
  readonly key: string;
}

/** One per digit key. */
const OPTIONS_MAX = 9;

/** The options of a score, in the order of the keys. */
export function optionsOf(score: ReviewScore): readonly Option[] {
  if (score.kind === "boolean")
    return [
      { label: "Yes", value: true, key: "y" },
      { label: "No", value: false, key: "n" },
    ];
  const values: readonly (string | number)[] =
    score.kind === "choice" ? (score.choices ?? []).map(({ label }) => label) : scaleOf(score);
  return values.map((value, index) => ({ label: String(value), value, key: String(index + 1) }));
}

/** The steps of a number; if there are too many for the keys, evenly spaced values from minimum to maximum. */
function scaleOf({ min = 0, max = 1, step }: ReviewScore): readonly number[] {
  const steps = step === undefined ? 4 : Math.floor((max - min) / step + 1e-6);
  const size = step ?? (max - min) / steps;
  const wide = Math.ceil(steps / (OPTIONS_MAX - 1));
  const count = Math.floor(steps / wide) + 1;
  return Array.from({ length: count }, (_, index) => Number((min + index * wide * size).toFixed(6)));
}
