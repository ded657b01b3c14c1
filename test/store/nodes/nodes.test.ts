import { afterAll, beforeAll, expect, test } from "bun:test";
import { migrate } from "../../../src/store/migrate.ts";
import { beat, claimId, leave, nodeIdOf, takeLease, takeNumbers } from "../../../src/store/nodes/nodes.ts";
import { type Database, openStore, type Store } from "../../../src/store/store.ts";
import { until } from "../../until.ts";
import { ownDirectory } from "../open.ts";

const directory = ownDirectory();
let store: Store;
let records: Database;
beforeAll(async () => {
  store = await openStore(directory.config, "write");
  await migrate(store);
  records = store.records;
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

test("a directory keeps its node id", () => {
  using other = ownDirectory();
  const id = nodeIdOf(directory.path);
  expect(nodeIdOf(directory.path)).toBe(id);
  expect(nodeIdOf(other.path)).not.toBe(id);
});

test("one node at a time has a lease; it keeps it by asking again, and another gets it once it is over", async () => {
  expect(await takeLease(records, "work", "a", 60_000)).toBe(true);
  expect(await takeLease(records, "work", "b", 60_000)).toBe(false);
  expect(await takeLease(records, "other work", "b", 60_000)).toBe(true);
  expect(await takeLease(records, "work", "a", 50)).toBe(true);
  await until(
    () => takeLease(records, "work", "b", 60_000),
    180_000,
    () => "the lease is never over",
  );
  expect(await takeLease(records, "work", "a", 60_000)).toBe(false);
});

test("a node that stops gives its leases up at once", async () => {
  await beat(records, "leaving", "run", true);
  expect(await takeLease(records, "left", "leaving", 60_000)).toBe(true);
  await leave(records, "leaving", "run");
  expect(await takeLease(records, "left", "next", 60_000)).toBe(true);
});

test("two programs under one node id notice each other", async () => {
  expect(await beat(records, "copied", "first", true)).toBe(false);
  expect(await beat(records, "copied", "first", false)).toBe(false);
  expect(await beat(records, "copied", "second", true)).toBe(false);
  expect(await beat(records, "copied", "first", false)).toBe(true);
});

test("numbers are given once, and lie beyond those of records that are there", async () => {
  const first = await Promise.all([7, 1, 100].map((count) => takeNumbers(records, count)));
  const [a, b, c] = first as [number, number, number];
  expect([b, c]).toEqual([a + 7, a + 8]);
  const seq = c + 5_000;
  await records.batch([
    {
      sql: `insert into requests (seq, request_id, organization_id, key_id, method, provider, request_created_at, updated_at)
        values (?, 'x', 'o', 'k', 'GET', 'P', 0, 0)`,
      args: [seq],
    },
  ]);
  expect(await takeNumbers(records, 1)).toBe(seq + 1);
});

test("an id is taken once", async () => {
  const taken = await Promise.all(Array.from({ length: 5 }, () => claimId(records, "one")));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await claimId(records, "two")).toBe(true);
});
