import { expect } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";

/** A limit for what hangs, and no claim: the machine may be busy. */
const MS_MAX = 180_000;
const EVERY_MS = 25;

type Matchers = ReturnType<typeof expect<unknown>>;
type Later<M> = M extends (...wanted: infer W) => unknown ? (...wanted: W) => Promise<void> : never;
type Eventually = {
  readonly [Name in "toBe" | "toEqual" | "toMatch" | "toContain" | "toStartWith" | "toMatchObject"]: Later<
    Matchers[Name]
  >;
};

/**
 * `await eventually(() => rows.count()).toBe(2)`: reads again and again until it is so, and fails as `expect` does where it
 * never is. For what one reads from outside, such as a page that is still being drawn: there a single reading may be too early.
 */
export function eventually(read: () => unknown): Eventually {
  const check = (name: keyof Eventually) => async (wanted: unknown) => {
    const deadline = performance.now() + MS_MAX;
    for (;;) {
      const found = await read();
      try {
        (expect(found)[name] as (wanted: unknown) => void)(wanted);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
      await sleep(EVERY_MS);
    }
  };
  return {
    toBe: check("toBe"),
    toEqual: check("toEqual"),
    toMatch: check("toMatch"),
    toContain: check("toContain"),
    toStartWith: check("toStartWith"),
    toMatchObject: check("toMatchObject"),
  } as Eventually;
}
