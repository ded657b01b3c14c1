import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks `reached` again and again until it says yes; fails with `describe` after `msMax`, which is a limit for what hangs and no
 * claim: machines that run tests have other work. How soon things happen is measured in `bench/`.
 */
export async function until(
  reached: () => boolean | Promise<boolean>,
  msMax = 180_000,
  describe: () => string = () => String(reached),
  everyMs = 25,
): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await reached())) {
    if (performance.now() > deadline) throw new Error(`not within ${msMax} ms: ${describe()}`);
    await sleep(everyMs);
  }
}

/** `promise`, or an error after `msMax`. */
export function within<T>(promise: Promise<T>, msMax: number, describe: () => string): Promise<T> {
  let limit: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_resolve, reject) => {
    limit = setTimeout(() => reject(new Error(`not within ${msMax} ms: ${describe()}`)), msMax);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(limit));
}
