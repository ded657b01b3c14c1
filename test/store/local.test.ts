import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Connection from "libsql";
import { migrate } from "../../src/store/migrate.ts";
import { openStore, type Value } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

/** Runs until it is stopped. */
const SLOW = "with recursive n(i) as (select 1 union all select i + 1 from n where i > 0) select count(*) as n from n";
/** Longer than any test may take: a query with this deadline is stopped by something else, or fails the test. */
const FOR_EVER_MS = 3_600_000;
const statement = (sql: string, args: readonly Value[] = []) => ({ sql, args });

/** How many files below a directory this process has open, on Linux. */
function openBelow(directory: string): number {
  const fds = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : [];
  return fds.filter((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd)).startsWith(directory);
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

describe("a local store", () => {
  test("shows a reader what was written, in both files, whatever the directory is called", async () => {
    using directory = ownDirectory();
    const path = join(directory.path, "it's 100% odd? #é");
    const config = { ...directory.config, data_dir: path };
    const writer = await openStore(config, "write");
    await migrate(writer);
    await writer.records.batch([statement("insert into settings values (?, ?)", ["a", "1"])]);
    await writer.bodies.batch([
      statement("insert into texts (request_id, prompt, completion) values (?, ?, ?)", ["r", "p", "c"]),
    ]);
    const reader = await openStore(config, "read");
    const sql = "select settings.value, texts.prompt from settings, texts";
    expect(await reader.records.query<unknown>(statement(sql))).toEqual([{ value: "1", prompt: "p" }]);
    expect(await reader.records.query<unknown>(statement(sql), { deadlineMs: 60_000 })).toEqual([
      { value: "1", prompt: "p" },
    ]);
    expect(existsSync(join(path, "bodies.db"))).toBe(true);
    await reader.close();
    await writer.close();
  });

  test("undoes a whole batch when one statement of it fails", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await store.records.batch([statement("create table t (a integer primary key)")]);
    const insert = statement("insert into t values (?)", [1]);
    await expect(store.records.batch([insert, insert])).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
    expect(await store.records.query<unknown>(statement("select * from t"))).toEqual([]);
    await store.records.batch([insert]);
    expect(await store.records.query<unknown>(statement("select * from t"))).toEqual([{ a: 1 }]);
    await store.close();
  });

  test("serves a reader once a lock is released, and is undamaged by a long one", async () => {
    using made = ownDirectory();
    const writer = await openStore(made.config, "write");
    await migrate(writer);
    await writer.close();
    // The driver lets go of a file late, and a file that is open elsewhere cannot be locked against readers: so, copies.
    const locked = (name: string) => {
      const data_dir = join(made.path, name);
      mkdirSync(data_dir);
      for (const file of readdirSync(made.path).filter((name) => /\.db(-wal)?$/.test(name)))
        copyFileSync(join(made.path, file), join(data_dir, file));
      const holder = new Connection(join(data_dir, "bodies.db"));
      holder.exec("pragma locking_mode=exclusive; begin immediate; delete from texts; commit");
      return { holder, config: { ...made.config, data_dir } };
    };
    const all = statement("select * from texts");
    const long = locked("long");
    const reader = await openStore(long.config, "read");
    await expect(reader.records.query<unknown>(all, { deadlineMs: 400 })).rejects.toMatchObject({
      code: "database_unavailable",
    });
    long.holder.close();
    expect(await reader.records.query<unknown>(all, { deadlineMs: 60_000 })).toEqual([]);
    await reader.close();

    const short = locked("short");
    const other = await openStore(short.config, "read");
    setTimeout(() => short.holder.close(), 500); // longer than a connection waits of itself
    expect(await other.records.query<unknown>(all, { deadlineMs: 60_000 })).toEqual([]);
    await other.close();
  });

  test("frees pages in steps and keeps a write-ahead log", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(store);
    for (const database of [store.records, store.bodies]) {
      expect(await database.query<unknown>(statement("pragma auto_vacuum"))).toEqual([{ auto_vacuum: 2 }]);
      expect(await database.query<unknown>(statement("pragma journal_mode"))).toEqual([{ journal_mode: "wal" }]);
      expect(await database.query<unknown>(statement("pragma synchronous"))).toEqual([{ synchronous: 1 }]);
    }
    await store.close();
  });

  test.each(["insert into settings values ('a', 'b') returning name", "delete from texts returning prompt"])(
    "lets a reader change nothing: %s",
    async (sql) => {
      using directory = ownDirectory();
      const writer = await openStore(directory.config, "write");
      await migrate(writer);
      const reader = await openStore(directory.config, "read");
      await expect(reader.records.query(statement(sql))).rejects.toMatchObject({ code: "database_unavailable" });
      await reader.close();
      await writer.close();
    },
  );
});

describe("a query with a deadline", () => {
  test("is stopped, and its connection continues", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    const slow = Array.from({ length: 4 }, () => reader.records.query(statement(SLOW), { deadlineMs: 150 }));
    const refused = await Promise.allSettled(slow);
    expect(refused.map((result) => result.status === "rejected" && result.reason.code)).toEqual(
      Array(4).fill("query_timeout"),
    );
    expect(await reader.records.query<unknown>(statement("select 1 as one"), { deadlineMs: 60_000 })).toEqual([
      { one: 1 },
    ]);
    await reader.close();
    await writer.close();
  });

  test("is prepared once, and returns its own values each time, also after it was stopped or the table changed", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    await writer.records.batch([statement("create table t (a integer)"), statement("insert into t values (1)")]);
    const reader = await openStore(directory.config, "read");
    // As long as its value says.
    const counted = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      select count(*) as n, t.* from n, t`;
    const ask = (most: number, deadlineMs: number) =>
      reader.records.query<unknown>(statement(counted, [most]), { deadlineMs });
    for (const most of [3, 150, 3]) expect(await ask(most, 30_000)).toEqual([{ n: most, a: 1 }]);
    const stopped = await ask(500_000_000, 100).catch((error: unknown) => error);
    expect(stopped).toMatchObject({ code: "query_timeout" });
    expect(await ask(7, 30_000)).toEqual([{ n: 7, a: 1 }]);
    await writer.records.batch([statement("alter table t add column b text default 'new'")]);
    expect(await ask(8, 30_000)).toEqual([{ n: 8, a: 1, b: "new" }]);
    await reader.close();
    await writer.close();
  });

  test("does not hold up a lookup without one", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    const slow = Array.from({ length: 8 }, () => reader.records.query(statement(SLOW), { deadlineMs: FOR_EVER_MS }));
    const settled = Promise.allSettled(slow);
    await reader.records.query(statement("select 1 as one"));
    await reader.close();
    await settled;
    await writer.close();
  });

  test("is stopped although statements before it are garbage that is collected meanwhile", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    for (let n = 0; n < 50; n++) await reader.records.query(statement(`select ${n}`), { deadlineMs: 60_000 });
    const refused = reader.records.query(statement(SLOW), { deadlineMs: 300 }).catch((error: unknown) => error);
    await Bun.sleep(50);
    Bun.gc(true);
    expect(await refused).toMatchObject({ code: "query_timeout" });
    await reader.close();
    await writer.close();
  });

  test("is one of many, and long ones, over which connections are replaced", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    const ask = (sql: string) => reader.records.query<{ n: number }>(statement(sql), { deadlineMs: 30_000 });
    for (let n = 0; n < 1_200; n++) expect(await ask(`select ${n} as n`)).toEqual([{ n }]);
    const long = `select ${"1 + ".repeat(900)}1 as n -- ${"x".repeat(1_000_000)}`;
    const results = await Promise.all(Array.from({ length: 12 }, () => ask(long)));
    expect(results).toEqual(Array.from({ length: 12 }, () => [{ n: 901 }]));
    await reader.close();
    await writer.close();
  });

  test("leaves few files open, however often its connection was replaced", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    const before = openBelow(directory.path);
    const padding = "x".repeat(1_000_000);
    let most = 0;
    for (let n = 0; n < 80; n++) {
      await reader.records.query(statement(`select ${n} as n -- ${padding}`), { deadlineMs: 30_000 });
      most = Math.max(most, openBelow(directory.path));
    }
    // Those in use, and the files of eight connections that are closed.
    expect(most).toBeLessThan(before + 80);
    await reader.close();
    await writer.close();
  });

  test("is stopped when the store closes, also while it waits for a connection", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    const slow = Array.from({ length: 12 }, () => reader.records.query(statement(SLOW), { deadlineMs: FOR_EVER_MS }));
    const settled = Promise.allSettled(slow);
    await reader.records.query(statement("select 1 as one"));
    await reader.close();
    expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
    await writer.close();
  });

  test("returns rows in the order of the statement", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const rows = Array.from({ length: 3_000 }, (_, i) =>
      statement("insert into settings values (?, ?)", [`n${i}`, String((i * 7919) % 3_000)]),
    );
    await writer.records.batch(rows);
    const reader = await openStore(directory.config, "read");
    const sql = "select cast(value as integer) as v from settings order by v desc limit 2500";
    const found = await reader.records.query<{ v: number }>(statement(sql), { deadlineMs: 60_000 });
    expect(found.map(({ v }) => v)).toEqual(Array.from({ length: 2_500 }, (_, i) => 2_999 - i));
    await reader.close();
    await writer.close();
  });
});

describe("a database that is away", () => {
  test("is refused by name while another process holds its lock, and works afterwards", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(store);
    const other = new Connection(join(directory.path, "weir.db"), {});
    other.exec("begin immediate");
    const insert = statement("insert into settings values ('a', 'b')");
    await expect(store.records.batch([insert])).rejects.toMatchObject({ code: "database_unavailable" });
    other.exec("rollback");
    await store.records.batch([insert]);
    other.close();
    await store.close();
  });

  test("takes no row while its file is moved away, and continues when it is back", async () => {
    using directory = ownDirectory();
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    const reader = await openStore(directory.config, "read");
    const path = join(directory.path, "weir.db");
    const insert = (name: string) => writer.records.batch([statement("insert into settings values (?, '')", [name])]);
    await insert("before");
    renameSync(path, `${path}.away`);
    await expect(insert("lost")).rejects.toMatchObject({ code: "database_unavailable" });
    await expect(reader.records.query(statement("select 1"))).rejects.toMatchObject({ code: "database_unavailable" });
    renameSync(`${path}.away`, path);
    await insert("after");
    const rows = await reader.records.query<{ name: string }>(statement("select name from settings order by name"));
    expect(rows.map(({ name }) => name)).toEqual(["after", "before"]);
    await reader.close();
    await writer.close();
  });

  test("may be made after its reader was opened", async () => {
    using directory = ownDirectory();
    const reader = await openStore(directory.config, "read");
    await expect(reader.records.query(statement("select 1"))).rejects.toMatchObject({ code: "database_unavailable" });
    const writer = await openStore(directory.config, "write");
    await migrate(writer);
    expect(await reader.records.query<unknown>(statement("select count(*) as n from keys"))).toEqual([{ n: 0 }]);
    await reader.close();
    await writer.close();
  });

  test("is created only by a call that may create it", async () => {
    using directory = ownDirectory();
    await expect(openStore(directory.config, "change")).rejects.toMatchObject({ code: "database_unavailable" });
    expect(existsSync(join(directory.path, "weir.db"))).toBe(false);
    const made = await openStore(directory.config, "write");
    await migrate(made);
    const other = await openStore(directory.config, "change");
    await other.records.batch([statement("insert into settings values ('a', 'b')")]);
    expect(await made.records.query<unknown>(statement("select value from settings"))).toEqual([{ value: "b" }]);
    await other.close();
    await made.close();
  });

  test("is named when the file is no database", async () => {
    using directory = ownDirectory();
    writeFileSync(join(directory.path, "weir.db"), "a letter to a friend\n".repeat(200));
    await expect(openStore(directory.config, "write")).rejects.toMatchObject({
      code: "database_unusable",
      message: expect.stringContaining("weir.db is not a sound SQLite database"),
    });
  });

  test("is named when the path is a directory", async () => {
    using directory = ownDirectory();
    mkdirSync(join(directory.path, "weir.db"));
    await expect(openStore(directory.config, "write")).rejects.toMatchObject({ code: "database_unavailable" });
  });
});
