import { expect, test } from "bun:test";
import { now } from "../../src/runtime/clock.ts";
import { isUuid, uuidv7 } from "../../src/runtime/uuid.ts";

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are UUIDv7, all different, and ascend in the order in which they were made", () => {
  const ids = Array.from({ length: 50_000 }, () => uuidv7());
  expect(ids.every((id) => FORM.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

test("an id tells the time at which it was made", () => {
  const before = Date.now();
  const ms = Number.parseInt(
    uuidv7(before + 60_000)
      .replaceAll("-", "")
      .slice(0, 12),
    16,
  );
  expect(ms).toBe(before + 60_000);
});

test("ids ascend where the clock stands or goes back", () => {
  const at = Date.now() + 120_000;
  const ids = [at, at, at - 5_000, at - 1, ...Array(5_000).fill(at)].map((ms) => uuidv7(ms));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ["00000000-0000-0000-0000-000000000000", true],
  ["F47AC10B-58CC-4372-A567-0E02B2C3D479", true],
  ["f47ac10b58cc4372a5670e02b2c3d479", false],
  ["f47ac10b-58cc-4372-a567-0e02b2c3d479 ", false],
  ["", false],
])("%j is a UUID: %p", (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

test("the clock agrees with the wall and never stands behind itself", () => {
  const first = now();
  expect(Math.abs(first - Date.now())).toBeLessThan(1_000);
  expect(now()).toBeGreaterThanOrEqual(first);
});
