import { expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { openStore } from "../../src/store/store.ts";
import { configIn, pass, rig, startRecorder, until } from "./harness.ts";

const count = async (directory: string) => {
  const store = await openStore(configIn(directory), "read");
  const [row] = await store.records.query<{ n: number }>({ sql: "select count(*) as n from requests", args: [] });
  await store.close();
  return row!.n;
};

test("while the database is locked traffic is spooled, and afterwards nothing is missing", async () => {
  await using weir = await rig();
  pass(weir.spool);
  await weir.recorder.barrier();
  const lock = new Libsql(join(weir.directory, "weir.db"), {});
  lock.exec("begin immediate");
  const ids = Array.from({ length: 30 }, () => pass(weir.spool));
  await until(
    async () => (await weir.recorder.status()).databaseError !== null,
    "the recorder says that it cannot write",
  );
  expect(weir.spool.stats.healthy).toBe(true);
  expect((await weir.recorder.status()).recorded).toBe(1);
  lock.exec("rollback");
  lock.close();
  await until(async () => (await weir.recorder.status()).recorded === 31, "all is recorded");
  expect((await weir.recorder.status()).databaseError).toBeNull();
  for (const id of ids) expect((await weir.row(id))["response_status"]).toBe(200);
  expect(await weir.recorder.metrics()).toMatch(/weir_database_errors_total [1-9]/);
});

test("a database that is moved away and comes back has every record", async () => {
  await using weir = await rig();
  pass(weir.spool);
  await weir.recorder.barrier();
  const path = join(weir.directory, "weir.db");
  renameSync(path, `${path}.away`);
  for (let i = 0; i < 10; i++) pass(weir.spool);
  await until(async () => (await weir.recorder.status()).databaseError !== null, "the recorder misses its file");
  renameSync(`${path}.away`, path);
  await weir.recorder.barrier();
  expect(await count(weir.directory)).toBe(11);
});

test("a database that was deleted is made anew, and what was in flight or waiting is in it", async () => {
  await using weir = await rig({ missingMs: 100 });
  const before = pass(weir.spool);
  await weir.recorder.barrier();
  for (const name of ["weir.db", "bodies.db"]) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(weir.directory, name + suffix), { force: true });
  }
  const ids = Array.from({ length: 10 }, () => pass(weir.spool));
  await weir.recorder.barrier();
  expect(await count(weir.directory)).toBe(10);
  for (const id of ids) expect(await weir.recorder.isKnownId(id)).toBe(true);
  expect(await weir.recorder.isKnownId(before)).toBe(false);
});

test("who waits for a database that does not come gets an error, not silence", async () => {
  await using weir = await rig();
  const lock = new Libsql(join(weir.directory, "weir.db"), {});
  lock.exec("begin immediate");
  const id = pass(weir.spool);
  await expect(weir.recorder.isKnownId(id)).rejects.toThrow("did not catch up");
  lock.exec("rollback");
  lock.close();
  expect(await weir.recorder.isKnownId(id)).toBe(true);
});

test("a recorder that is stopped while the database is away leaves the rest in the spool", async () => {
  await using weir = await rig();
  const lock = new Libsql(join(weir.directory, "weir.db"), {});
  lock.exec("begin immediate");
  pass(weir.spool);
  await weir.recorder.stop();
  lock.exec("rollback");
  lock.close();
  const second = startRecorder(weir.directory);
  await second.barrier();
  await second.stop();
  expect(await count(weir.directory)).toBe(1);
});
