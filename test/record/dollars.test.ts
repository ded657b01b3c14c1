import { expect, test } from "bun:test";
import fc from "fast-check";
import { dollars } from "../../src/record/dollars.ts";
import { assertProperty } from "../chance.ts";

test.each([
  [0.000035000000000000004, "0.000035"],
  [0.0035700000000000003, "0.00357"],
  [0.1 + 0.2, "0.3"],
  [0, "0"],
  [1e-9, "1e-9"],
])("%p is %s", (amount, text) => {
  expect(JSON.stringify(dollars(amount))).toBe(text);
});

test("what is not known stays so", () => {
  expect(dollars(null)).toBeNull();
});

test("an amount changes by less than a part in 100,000,000,000, and only once", () => {
  assertProperty(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (amount) => {
      const shown = dollars(amount);
      expect(Math.abs(shown - amount)).toBeLessThanOrEqual(amount * 1e-11);
      expect(dollars(shown)).toBe(shown);
    }),
  );
});
