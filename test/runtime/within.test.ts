import { expect, test } from "bun:test";
import { within } from "../../src/runtime/within.ts";

const never = new Promise<never>(() => {});
const tooLate = () => {
  throw new Error("too late");
};

test("work that is done in time is what it became", async () => {
  expect(await within(Promise.resolve(1), 60_000, tooLate)).toBe(1);
  await expect(within(Promise.reject(new Error("no")), 60_000, tooLate)).rejects.toThrow("no");
});

test("in place of work that is late stands what the caller says", async () => {
  expect(await within(never, 1, () => "late")).toBe("late");
  await expect(within(never, 1, tooLate)).rejects.toThrow("too late");
});

test("work that fails after its limit causes no unhandled rejection", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  expect(await within(promise, 0, () => "late")).toBe("late");
  reject(new Error("nobody hears this"));
  await new Promise((resolve) => setImmediate(resolve));
});
