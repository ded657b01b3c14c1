import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { openDataDirectory, refuseMissingDatabase } from "../../src/serve/data-directory.ts";
import { listSegments } from "../../src/spool/segments.ts";
import { writeTip } from "../../src/spool/tip-file.ts";
import { lockDirectory } from "../../src/store/database/lock.ts";
import { temporaryDirectory } from "../directory.ts";
import { configIn } from "../recorder/harness.ts";

test("a directory is locked also once its lock's file is deleted, and free when it is released", () => {
  using directory = temporaryDirectory();
  const lock = lockDirectory(directory.path)!;
  expect(lockDirectory(directory.path)).toBeUndefined();
  rmSync(join(directory.path, "weir.lock"));
  expect(lockDirectory(directory.path)).toBeUndefined();
  expect(lock.check()).toBe("retaken");
  expect(lock.check()).toBe("held");
  expect(lockDirectory(directory.path)).toBeUndefined();
  lock.release();
  const next = lockDirectory(directory.path);
  expect(next).toBeDefined();
  next!.release();
});

test("a lock notices that another program has the directory, where files are all that is locked", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "weir.lock");
  const lock = lockDirectory(directory.path)!;
  rmSync(path);
  const other = new Libsql(path);
  other.exec("pragma locking_mode = exclusive; begin exclusive");
  expect(lock.check()).toBe("lost");
  other.close();
  lock.release();
});

test.each([
  ["nothing is there yet", [], 0, undefined],
  ["both are there", ["weir.db", "bodies.db"], 9_000, undefined],
  ["a start failed before there were any", [], 200, undefined],
  [
    "the bodies are gone",
    ["weir.db"],
    0,
    /bodies\.db is missing or empty beside weir\.db: .*WEIR_ACCEPT_MISSING_DATABASE=yes/,
  ],
  ["the records are gone", ["bodies.db"], 0, /weir\.db is missing or empty beside bodies\.db/],
  [
    "both are gone from a spool that was used",
    [],
    9_000,
    /weir\.db and .*bodies\.db are missing or empty beside a used spool/,
  ],
] as const)("a start looks for its databases: %s", (_what, files, spoolBytes, refusal) => {
  using directory = temporaryDirectory();
  for (const name of files) writeFileSync(join(directory.path, name), "rows");
  mkdirSync(join(directory.path, "spool"));
  if (spoolBytes > 0) writeTip(join(directory.path, "spool"), { segment: 1, offset: spoolBytes });
  const start = (accept: "yes" | "no") => () =>
    refuseMissingDatabase(configIn(directory.path, { accept_missing_database: accept }));
  if (refusal === undefined) expect(start("no")).not.toThrow();
  else expect(start("no")).toThrow(refusal);
  expect(start("yes")).not.toThrow();
});

test("a directory of an earlier run is closed to others, file by file", () => {
  using directory = temporaryDirectory();
  const spool = join(directory.path, "spool");
  mkdirSync(spool, { mode: 0o755 });
  const files = ["weir.db", "bodies.db", "weir.db-wal", "node-id", "spool/0000000000001.spool"];
  for (const name of files) writeFileSync(join(directory.path, name), "", { mode: 0o644 });
  for (const each of [directory.path, spool]) chmodSync(each, 0o755);
  const before = process.umask();
  try {
    openDataDirectory(configIn(directory.path), { dropIns: false }).release();
    expect(process.umask() & 0o077).toBe(0o077);
  } finally {
    process.umask(before);
  }
  const modes = ["", "spool", "weir.lock", ...files].map((name) => statSync(join(directory.path, name)).mode & 0o077);
  expect(modes).toEqual(modes.map(() => 0));
});

test("a directory that is named like a segment is not one", () => {
  using directory = temporaryDirectory();
  mkdirSync(join(directory.path, "0000000000002.spool"));
  writeFileSync(join(directory.path, "0000000000003.spool"), "");
  expect(listSegments(directory.path)).toEqual([3]);
  expect(readdirSync(directory.path)).toHaveLength(2);
});
