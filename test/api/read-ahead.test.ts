import { expect, test } from "bun:test";
import { readAhead } from "../../src/api/requests/read-ahead.ts";

test("only the next item is read while the caller works", async () => {
  const requested: number[] = [];
  const read = async (item: number) => {
    requested.push(item);
    return item * 10;
  };
  const got: (readonly [number, readonly number[]])[] = [];
  for await (const value of readAhead([1, 2, 3], read)) got.push([value, [...requested]]);
  expect(got).toEqual([
    [10, [1, 2]],
    [20, [1, 2, 3]],
    [30, [1, 2, 3]],
  ]);
});

test("a failure arrives in order, after everything read before it", async () => {
  const got: number[] = [];
  const read = async (item: number) => {
    if (item === 2) throw new Error("cannot be read");
    return item;
  };
  const all = async () => {
    for await (const value of readAhead([1, 2, 3], read)) got.push(value);
  };
  await expect(all()).rejects.toThrow("cannot be read");
  expect(got).toEqual([1]);
});

test("nothing is left to fail unheard when the caller stops early", async () => {
  const unheard: unknown[] = [];
  const listen = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", listen);
  const read = async (item: number) => {
    if (item === 2) throw new Error("cannot be read");
    return item;
  };
  for await (const _value of readAhead([1, 2], read)) break;
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", listen);
  expect(unheard).toEqual([]);
});
