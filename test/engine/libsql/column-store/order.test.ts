import { expect, test } from "bun:test";
import fc from "fast-check";
import { makeNextBlock, nextMissing, type Range } from "../../../../src/engine/libsql/column-store/keep.ts";
import { heldSince, withoutBlock } from "../../../../src/engine/libsql/column-store/waiting.ts";
import { migrate } from "../../../../src/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/store/migrations/list.ts";
import { openStore } from "../../../../src/store/store.ts";
import { assertProperty } from "../../../chance.ts";
import { ownDirectory } from "../../../store/open.ts";
import { SIZES } from "./world.ts";

const { short, long } = SIZES;
const cell =
  (length: number) =>
  (at: number): Range => ({ first: at * length + 1, last: (at + 1) * length });
const overlap = (a: Range, b: Range) => a.first <= b.last && b.first <= a.last;

/** Any blocks of the grid that do not overlap. */
const blocks = fc
  .array(fc.oneof(fc.nat({ max: 12 }).map(cell(long)), fc.nat({ max: 50 }).map(cell(short))), { maxLength: 20 })
  .map((all) => all.filter((one, at) => !all.slice(0, at).some((other) => overlap(one, other))));

const records = (
  first: number,
  last: number,
) => `with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
  insert into requests (seq, request_id, organization_id, key_id, method, provider, request_created_at, updated_at)
  select i, i, 'o', 'k', 'POST', 'OPENAI', i * 1000, i from n`;
const block = (first: number, last: number) => ({
  sql: "insert into blocks (first_seq, last_seq, rows, odd_rows, names_complete) values (?, ?, 0, 0, 1)",
  args: [first, last],
});

test("whatever blocks there are, the next is the newest that is missing, until none is", async () => {
  await assertProperty(
    fc.property(blocks, fc.nat({ max: 220 }), fc.nat({ max: 220 }), (given, from, count) => {
      const [oldest, newest] = [from + 1, Math.max(from + count, ...given.map(({ last }) => last))];
      let all = [...given];
      let before = Number.POSITIVE_INFINITY;
      for (;;) {
        const next = nextMissing({ oldest, newest, blocks: all }, SIZES);
        if (next === undefined) break;
        expect(next.last).toBeLessThan(before);
        before = next.last;
        // It takes the place of those within it, and cuts through none.
        all = all.filter((one) => !(next.first <= one.first && one.last <= next.last));
        expect(all.filter((one) => overlap(one, next))).toEqual([]);
        all.push(next);
      }
      for (let seq = oldest; seq <= newest - (newest % short); seq++) {
        const length = seq <= newest - (newest % long) ? long : short;
        const holding = all.filter(({ first, last }) => first <= seq && seq <= last);
        expect(holding.map(({ first, last }) => last - first + 1)).toEqual([length]);
      }
    }),
  );
});

test("records without a block are counted, and since when there are no others is reported", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const look = async () => [await withoutBlock(store), await heldSince(store)];
  expect(await look()).toEqual([0, undefined]);
  const sql = records(11, 40);
  await store.records.batch([{ sql, args: [] }]);
  const hold = (first: number, last: number) => store.records.batch([block(first, last)]);
  expect(await look()).toEqual([30, undefined]);
  await hold(33, 36);
  expect(await look()).toEqual([26, 33_000]);
  await hold(17, 32);
  expect(await look()).toEqual([10, 17_000]);
  await hold(1, 16);
  expect(await look()).toEqual([4, undefined]);
  await store.close();
});

test("the blocks of an earlier version, which has no gaps, stay", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  const earlier = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === "blocks apart"),
  );
  await migrate(store, earlier);
  await store.records.batch([{ sql: records(1, 40), args: [] }, block(1, 16), block(17, 32), block(33, 36)]);
  await migrate(store);
  expect(await withoutBlock(store)).toBe(4);
  expect(await makeNextBlock(store, SIZES)).toBe(40);
  expect(await makeNextBlock(store, SIZES)).toBeUndefined();
  await store.close();
});
