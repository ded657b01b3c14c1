import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { ChangeGate } from "../../src/store/database/change-gate.ts";
import { type Database, localPath, openStore } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

const INSERT = { sql: "insert into t values (1)", args: [] };

/** Never opens because of the time. */
const gateOf = (...databases: readonly Pick<Database, "stamp">[]) =>
  new ChangeGate(databases, Number.POSITIVE_INFINITY);

/** Two files with a table each. */
async function openBoth(config: ReturnType<typeof ownDirectory>["config"]) {
  const writer = await openStore(config, "write");
  await writer.records.batch([{ sql: "create table t (a)", args: [] }]);
  await writer.bodies.batch([{ sql: "create table u (a)", args: [] }]);
  const reader = await openStore(config, "current");
  return { writer, reader };
}

test("a gate opens once for every change of either file, and not for queries", async () => {
  using directory = ownDirectory();
  const { writer, reader } = await openBoth(directory.config);
  const gate = gateOf(reader.records);
  expect(await gate.isOpen()).toBe(true);
  expect(await gate.isOpen()).toBe(false);
  for (let round = 0; round < 3; round++) {
    await writer.records.batch([INSERT]);
    // What the reader has already seen is still a change for the gate.
    if (round === 1) await reader.records.query({ sql: "select * from t", args: [] });
    expect(await gate.isOpen()).toBe(true);
    expect(await gate.isOpen()).toBe(false);
  }
  await writer.bodies.batch([{ sql: "insert into u values (1)", args: [] }]);
  expect(await gate.isOpen()).toBe(true);
  await writer.records.query({ sql: "select * from t", args: [] });
  expect(await gate.isOpen()).toBe(false);
  await reader.close();
  await writer.close();
});

test("gates of one reader open each for itself", async () => {
  using directory = ownDirectory();
  const { writer, reader } = await openBoth(directory.config);
  const [first, second] = [gateOf(reader.records), gateOf(reader.records)];
  await writer.records.batch([INSERT]);
  expect(await first.isOpen()).toBe(true);
  expect(await second.isOpen()).toBe(true);
  expect([await first.isOpen(), await second.isOpen()]).toEqual([false, false]);
  await reader.close();
  await writer.close();
});

test("a gate stays open while its database is away, and opens for another file in its place", async () => {
  using directory = ownDirectory();
  using elsewhere = ownDirectory();
  const { writer, reader } = await openBoth(directory.config);
  const other = await openBoth(elsewhere.config);
  await writer.close();
  await other.writer.close();
  await other.reader.close();
  const gate = gateOf(reader.records);
  expect([await gate.isOpen(), await gate.isOpen()]).toEqual([true, false]);
  const path = localPath(directory.config)!;
  renameSync(path, `${path}.away`);
  expect([await gate.isOpen(), await gate.isOpen()]).toEqual([true, true]);
  renameSync(localPath(elsewhere.config)!, path);
  expect([await gate.isOpen(), await gate.isOpen()]).toEqual([true, false]);
  await reader.close();
});

test("a gate of several databases opens for each, and is open always where one has no stamp", async () => {
  const stamps = ["a", "a"];
  const stamped = stamps.map((_stamp, at) => ({ stamp: async () => stamps[at]! }));
  const gate = gateOf(...stamped);
  expect([await gate.isOpen(), await gate.isOpen()]).toEqual([true, false]);
  stamps[1] = "b";
  expect([await gate.isOpen(), await gate.isOpen()]).toEqual([true, false]);
  const without = gateOf(stamped[0]!, {});
  expect([await without.isOpen(), await without.isOpen()]).toEqual([true, true]);
});

test("a gate opens after a while although nothing has changed", async () => {
  const gate = new ChangeGate([{ stamp: async () => "a" }], 0);
  expect([await gate.isOpen(), await gate.isOpen()]).toEqual([true, true]);
});
