import { expect, test } from "bun:test";
import fc from "fast-check";
import { bind, bindTyped } from "../../src/store/database/bind.ts";
import { openStore, type Value } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { ownDirectory } from "./open.ts";

test.each([
  ["a boolean as a number", true, 1n],
  ["false as a number", false, 0n],
  ["undefined as null", undefined, null],
  ["null as null", null, null],
  ["a whole number as an integer", 3, 3n],
  ["minus zero as zero", -0, 0n],
  ["a fraction as it is", 2.5, 2.5],
  ["no number as null", Number.NaN, null],
  ["infinity as the largest number", Number.POSITIVE_INFINITY, Number.MAX_VALUE],
  ["minus infinity as the smallest number", Number.NEGATIVE_INFINITY, -Number.MAX_VALUE],
  ["a number over 2^53 as floating point", 1e18, 1e18],
  ["a bigint of 64 bits as it is", 2n ** 63n - 1n, 2n ** 63n - 1n],
  ["a bigint over 64 bits as floating point", 2n ** 63n, 2 ** 63],
  ["a date as milliseconds", new Date(1_700_000_000_123), 1_700_000_000_123n],
  ["a lone surrogate as the replacement character", "a\ud800b", "a\ufffdb"],
  ["a zero character as the replacement character", "a\0b", "a\ufffdb"],
  ["text as it is", "é漢😀", "é漢😀"],
])("binds %s", (_name, value, bound) => {
  expect(bind(value)).toBe(bound);
});

test.each([[{}], [[]], [Symbol("s")], [() => 1], [/x/]])("refuses to bind %p", (value) => {
  expect(() => bind(value)).toThrow(TypeError);
});

test("whatever is bound can be read back and is what bind says", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  const anyValue = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.uint8Array({ maxLength: 64 }),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
  );
  await assertProperty(
    fc.asyncProperty(anyValue, async (value) => {
      const sql = "select ? as value";
      const [row] = await store.records.query<{ value: unknown }>({ sql, args: [value as Value] });
      const bound = bind(value);
      if (bound instanceof Uint8Array) expect(Buffer.from(row!.value as Uint8Array)).toEqual(Buffer.from(bound));
      else expect(row!.value).toBe(typeof bound === "bigint" ? Number(bound) : bound);
    }),
    { numRuns: 300 },
  );
  await store.close();
});

test("a column with a type makes of a typed value what it makes of a bound one", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  const { records } = store;
  const create = "create table numbers (id integer primary key, whole integer, part real)";
  await records.batch([{ sql: create, args: [] }]);
  const anyNumber = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.integer(), fc.constant(-0));
  await assertProperty(
    fc.asyncProperty(anyNumber, fc.maxSafeInteger(), async (value, id) => {
      const insert = (hasTypedNumbers: boolean) => ({
        sql: "insert or replace into numbers values (?, ?, ?)",
        args: [id, value, value],
        hasTypedNumbers,
      });
      const stored = async (hasTypedNumbers: boolean) => {
        await records.batch([insert(hasTypedNumbers)]);
        const sql =
          "select id, typeof(whole) as type, cast(whole as text) as whole, typeof(part) as part_type, part from numbers";
        const rows = await records.query<{ type: string; part_type: string }>({ sql, args: [] });
        await records.batch([{ sql: "delete from numbers", args: [] }]);
        return rows;
      };
      expect(await stored(true)).toEqual(await stored(false));
    }),
    { numRuns: 300 },
  );
  expect([bindTyped(7), bindTyped(Number.NaN), bindTyped("a\0b"), bindTyped(1e300)]).toEqual([
    7,
    null,
    "a\ufffdb",
    1e300,
  ]);
  await store.close();
});
