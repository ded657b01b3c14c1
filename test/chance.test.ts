import { expect, test } from "bun:test";
import fc from "fast-check";
import { assertProperty, chance, SEED } from "./chance.ts";

test("a name draws the same numbers each time, and another name others", () => {
  const drawn = (name: string) => {
    const source = chance(name);
    return [source.number(), source.number(), source.bytes(9).toString("hex")];
  };
  expect(drawn("a")).toEqual(drawn("a"));
  expect(drawn("a")).not.toEqual(drawn("b"));
});

test("numbers are from 0 up to 1, and bytes have the requested length", () => {
  const source = chance("range");
  const numbers = Array.from({ length: 1_000 }, () => source.number());
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(new Set(numbers).size).toBeGreaterThan(990);
  expect([0, 1, 5, 4_096].map((count) => source.bytes(count).length)).toEqual([0, 1, 5, 4_096]);
  expect(new Set(source.bytes(4_096)).size).toBe(256);
});

test("a property that fails prints the seed that repeats it", async () => {
  const text = `WEIR_TEST_SEED=${SEED} repeats it`;
  expect(() => assertProperty(fc.property(fc.nat(), () => false))).toThrow(text);
  const later = assertProperty(fc.asyncProperty(fc.nat(), async () => false));
  await expect(later).rejects.toThrow(text);
});

test("a property is given the same values each time", () => {
  const drawn = () => {
    const values: string[] = [];
    assertProperty(fc.property(fc.string(), (value) => void values.push(value)));
    return values;
  };
  expect(drawn()).toEqual(drawn());
});
