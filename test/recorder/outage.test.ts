import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { openStore } from "../../src/store/store.ts";
import { until } from "../until.ts";
import { configIn, pass, rig, startRecorder } from "./harness.ts";

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
    180_000,
    () => "the recorder says that it cannot write",
  );
  expect(weir.spool.stats.healthy).toBe(true);
  expect((await weir.recorder.status()).recorded).toBe(1);
  lock.exec("rollback");
  lock.close();
  await until(
    async () => (await weir.recorder.status()).recorded === 31,
    180_000,
    () => "all is recorded",
  );
  expect((await weir.recorder.status()).databaseError).toBeNull();
  for (const id of ids) expect((await weir.row(id))["response_status"]).toBe(200);
  expect(await weir.recorder.metrics()).toMatch(/weir_database_errors_total [1-9]/);
});

test("a database that is moved away and returned has every record", async () => {
  await using weir = await rig();
  pass(weir.spool);
  await weir.recorder.barrier();
  const path = join(weir.directory, "weir.db");
  renameSync(path, `${path}.away`);
  for (let i = 0; i < 10; i++) pass(weir.spool);
  await until(
    async () => (await weir.recorder.status()).databaseError !== null,
    180_000,
    () => "the recorder misses its file",
  );
  renameSync(`${path}.away`, path);
  await weir.recorder.barrier();
  expect(await count(weir.directory)).toBe(11);
});

test("a database that was deleted is created again at the next start, with what is in the spool", async () => {
  await using weir = await rig();
  const before = pass(weir.spool);
  await weir.recorder.barrier();
  for (const name of ["weir.db", "bodies.db"]) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(weir.directory, name + suffix), { force: true });
  }
  const ids = Array.from({ length: 10 }, () => pass(weir.spool));
  await until(
    async () => (await weir.recorder.status()).databaseError?.endsWith("is missing") === true,
    180_000,
    () => "the recorder misses its file",
  );
  await weir.recorder.stop();
  expect(existsSync(join(weir.directory, "weir.db"))).toBe(false);
  const second = startRecorder(weir.directory);
  await second.barrier();
  expect(await count(weir.directory)).toBe(11);
  for (const id of [before, ...ids]) expect(await second.isKnownId(id)).toBe(true);
  await second.stop();
});

test("a recorder that is restarted while its database is missing waits for it, and creates none", async () => {
  await using weir = await rig();
  pass(weir.spool);
  await weir.recorder.barrier();
  await weir.recorder.stop();
  const away = join(weir.directory, "away");
  mkdirSync(away);
  const files = readdirSync(weir.directory).filter((name) => /^(weir|bodies)\.db/.test(name));
  for (const name of files) renameSync(join(weir.directory, name), join(away, name));
  pass(weir.spool);
  const second = startRecorder(weir.directory, { databaseWasThere: true });
  await until(
    async () => (await second.status()).databaseError !== null,
    180_000,
    () => "the recorder misses its files",
  );
  expect(readdirSync(weir.directory).filter((name) => name.endsWith(".db"))).toEqual([]);
  for (const name of files) renameSync(join(away, name), join(weir.directory, name));
  await second.barrier();
  expect(await count(weir.directory)).toBe(2);
  await second.stop();
});

test("a caller that waits for a missing database gets an error", async () => {
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
