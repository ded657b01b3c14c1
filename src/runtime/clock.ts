/** A larger difference means that the wall clock was set, or the two clocks have drifted apart. */
const DRIFT_MS = 20;
const CHECK_MS = 1_000;

let offsetMs = performance.timeOrigin;
let checkedAtMs = Number.NEGATIVE_INFINITY;

/** Milliseconds since 1970 with fraction; steps only if the wall clock steps. */
export function now(monotonicMs = performance.now()): number {
  return offsetAt(monotonicMs) + monotonicMs;
}

/** The milliseconds to add to `performance.now()` to get the wall clock's time. */
function offsetAt(monotonicMs: number): number {
  if (monotonicMs - checkedAtMs > CHECK_MS) {
    checkedAtMs = monotonicMs;
    const actualMs = Date.now() - monotonicMs;
    if (Math.abs(actualMs - offsetMs) > DRIFT_MS) offsetMs = actualMs;
  }
  return offsetMs;
}

/**
 * Milliseconds since 1970 with fraction.
 *
 * @param monotonicMs - a time of `performance.now()`; now if undefined.
 */
export type Clock = (monotonicMs?: number) => number;

/**
 * The clock for an exchange that starts at the last `now()`: that time plus the time elapsed since. Setting the wall clock
 * in the meantime does not affect durations.
 */
export function startClock(): Clock {
  const startOffsetMs = offsetMs;
  if (startOffsetMs !== clockOffsetMs) {
    clockOffsetMs = startOffsetMs;
    clock = (monotonicMs = performance.now()) => startOffsetMs + monotonicMs;
  }
  return clock;
}

/** The clock that all exchanges get until the wall clock steps. */
let clock: Clock = now;
let clockOffsetMs = Number.NaN;
