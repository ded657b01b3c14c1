/** Beyond this the wall clock was set, or the two clocks have drifted apart. */
const DRIFT_MS = 20;
const CHECK_MS = 1_000;

let offsetMs = performance.timeOrigin;
let checkedAtMs = 0;

/** Milliseconds since 1970 with fraction; steps only where the wall clock steps. */
export function now(): number {
  const monotonicMs = performance.now();
  if (monotonicMs - checkedAtMs > CHECK_MS) {
    checkedAtMs = monotonicMs;
    const actualMs = Date.now() - monotonicMs;
    if (Math.abs(actualMs - offsetMs) > DRIFT_MS) offsetMs = actualMs;
  }
  return offsetMs + monotonicMs;
}
