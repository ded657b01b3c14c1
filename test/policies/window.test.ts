import { expect, test } from "bun:test";
import fc from "fast-check";
import { SlidingSpan } from "../../plugins/rate-limits/span.ts";
import { Window } from "../../plugins/rate-limits/window.ts";
import { assertProperty } from "../chance.ts";

/** The window read out loud: everything that was counted, and when. */
class PlainWindow {
  readonly #counted: { time: number; amount: number }[] = [];
  total(now: number, windowMs: number): number {
    return this.#counted.filter(({ time }) => time > now - windowMs).reduce((sum, { amount }) => sum + amount, 0);
  }
  add(time: number, amount: number): void {
    this.#counted.push({ time, amount });
  }
  remove(time: number): void {
    this.#counted.splice(
      this.#counted.findIndex((entry) => entry.time === time),
      1,
    );
  }
}

const SECOND = new SlidingSpan(1_000);

const steps = fc.array(
  fc.record({ waitMs: fc.oneof(fc.constantFrom(0, 1, 999, 1_000), fc.nat(1_500)), giveBack: fc.boolean() }),
  { minLength: 1, maxLength: 300 },
);

test("a window admits exactly the requests that a plain list of admissions admits", () => {
  assertProperty(
    fc.property(steps, fc.integer({ min: 0, max: 20 }), fc.constantFrom(1_000, 3_000), (all, quota, windowMs) => {
      const span = new SlidingSpan(windowMs);
      const window = new Window();
      const plain = new PlainWindow();
      let now = 1_000_000;
      for (const { waitMs, giveBack } of all) {
        now += waitMs;
        const admitted = window.total(now, span) < quota;
        expect(admitted).toBe(plain.total(now, windowMs) < quota);
        if (!admitted) {
          // A request that waits as long as the response says is admitted; one that waits a moment less is not.
          const freeAt = window.freeAt(now, span, quota);
          if (quota > 0) expect(plain.total(freeAt, windowMs)).toBeLessThan(quota);
          expect(plain.total(freeAt - 1, windowMs)).toBeGreaterThanOrEqual(quota);
          continue;
        }
        window.add(now, 1, span);
        plain.add(now, 1);
        if (!giveBack) continue;
        window.remove(now, 1);
        plain.remove(now);
      }
    }),
    { numRuns: 300 },
  );
});

test("a window of very many entries is never too large, late by at most a five-hundredth, and small in memory", () => {
  const windowMs = 60_000;
  const span = new SlidingSpan(windowMs);
  const gaps = fc.array(fc.nat(20), { minLength: 3_000, maxLength: 4_000 });
  assertProperty(
    fc.property(gaps, (waits) => {
      const window = new Window();
      const plain = new PlainWindow();
      let now = 1_000_000;
      for (const [at, waitMs] of waits.entries()) {
        now += waitMs;
        window.add(now, 1, span);
        plain.add(now, 1);
        if (at % 500 !== 0) continue;
        expect([...window.entries()].length).toBeLessThanOrEqual(1_001);
      }
      for (let later = now; later < now + windowMs; later += 7_919) {
        const total = window.total(later, span);
        expect(total).toBeGreaterThanOrEqual(plain.total(later, windowMs));
        expect(total).toBeLessThanOrEqual(plain.total(later - windowMs / 500, windowMs));
      }
      expect(window.total(now + windowMs + 1, span)).toBe(0);
    }),
    { numRuns: 10 },
  );
});

test("a clock that was set back does not keep entries for longer than the window", () => {
  const window = new Window();
  window.add(100_000, 3, SECOND);
  expect(window.total(50_000, SECOND)).toBe(3);
  expect(window.total(51_000, SECOND)).toBe(0);
});

test("however the clock jumps, nothing stays longer than the window, and nothing is counted twice", () => {
  const jumps = fc.array(
    fc.record({ by: fc.constantFrom(0, 10, 400, 86_400_000, -400, -86_400_000), add: fc.nat(3) }),
    {
      minLength: 1,
      maxLength: 60,
    },
  );
  assertProperty(
    fc.property(jumps, (steps) => {
      const window = new Window();
      let now = 1e12;
      let counted = 0;
      for (const { by, add } of steps) {
        now += by;
        window.total(now, SECOND);
        if (add > 0) window.add(now, add, SECOND);
        counted += add;
        const total = window.total(now, SECOND);
        expect(total).toBeGreaterThanOrEqual(add);
        expect(total).toBeLessThanOrEqual(counted);
        expect(window.freeAt(now, SECOND, 1)).toBeLessThanOrEqual(now + 1_000);
      }
      expect(window.total(now + 1_000, SECOND)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test("sums of fractions do not drift", () => {
  const window = new Window();
  for (let now = 0; now < 10_000; now++) window.add(now, 0.1, new SlidingSpan(100));
  expect(window.total(20_000, new SlidingSpan(100))).toBe(0);
});
