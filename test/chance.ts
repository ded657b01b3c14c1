import { randomInt } from "node:crypto";
import fc from "fast-check";

/** The seed of everything random in a test file: `WEIR_TEST_SEED`, or a new one for each run. */
export const SEED = numberIn("WEIR_TEST_SEED") ?? randomInt(2 ** 31);

/** Which part of each property's runs is made. `WEIR_TEST_RUNS` is a percentage; without it, all of them. */
const RUNS_FACTOR = (numberIn("WEIR_TEST_RUNS") ?? 100) / 100;
/** fast-check's own number of runs. */
const RUNS_DEFAULT = 100;

/**
 * `fc.assert` with the run's seed, and as many runs as `WEIR_TEST_RUNS` asks for, one at least.
 * A failure says how to repeat it.
 */
export const assertProperty: typeof fc.assert = ((property, parameters) => {
  const numRuns = Math.max(1, Math.ceil((parameters?.numRuns ?? RUNS_DEFAULT) * RUNS_FACTOR));
  const outcome: unknown = repeatable(() => fc.assert(property, { seed: SEED, ...parameters, numRuns }));
  return outcome;
}) as typeof fc.assert;

/** A source of numbers that `WEIR_TEST_SEED` repeats. */
interface Chance {
  /** From 0 up to 1, exclusive. */
  number(): number;
  bytes(count: number): Buffer<ArrayBuffer>;
}

/**
 * Numbers from the run's seed, the same for the same `name` and seed. The first draw says the seed on stderr, so that
 * a failure later in the file can be repeated.
 */
export function chance(name: string): Chance {
  let said = false;
  let state = Bun.hash.crc32(name) ^ SEED;
  // mulberry32
  const next = () => {
    if (!said) console.error(`${name}: random; WEIR_TEST_SEED=${SEED} repeats it`);
    said = true;
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    number: () => next() / 2 ** 32,
    bytes: (count) => Buffer.from(Uint32Array.from({ length: Math.ceil(count / 4) }, next).buffer, 0, count),
  };
}

/** Calls `run`; what it throws, now or later, also says the seed. */
function repeatable<T>(run: () => T): T {
  const explain = (error: unknown): never => {
    if (error instanceof Error) error.message += `\nWEIR_TEST_SEED=${SEED} repeats it.`;
    throw error;
  };
  try {
    const outcome = run();
    return (outcome instanceof Promise ? outcome.catch(explain) : outcome) as T;
  } catch (error) {
    return explain(error);
  }
}

function numberIn(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${variable} is not a number: ${text}`);
  return value;
}
