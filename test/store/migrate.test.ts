import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { newestSchema } from "../../build/newest-schema.ts";
import * as tables from "../../src/record/tables.ts";
import type { Database } from "../../src/store/database/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import type { Migration } from "../../src/store/migrations/migration.ts";
import { ensureOrganization } from "../../src/store/people/organization-names.ts";
import { openStore } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

const IN_BODIES = new Set([
  "texts",
  "bodies",
  "blobs",
  "assets",
  "packs",
  "contents",
  "pack_erasures",
  "word_shards",
  "pairing",
  "words_due",
  "objects",
  "object_names",
]);
const TABLES = Object.values(tables).filter((table) => is(table, SQLiteTable)) as SQLiteTable[];
const column = (name: string, type: string, notNull: boolean, fallback: string | null, primary: boolean) =>
  `${name} ${type.toLowerCase()}${notNull ? " not null" : ""} default ${fallback} ${primary ? "key" : ""}`;

/** What stands in a database: by its name, how each table, index and trigger is made, and the rows of tables. */
async function contentOf(database: Database): Promise<Record<string, { sql: string; rows: unknown[] }>> {
  const made = await database.query<{ type: string; name: string; sql: string }>({
    sql: "select type, name, coalesce(sql, '') as sql from sqlite_schema",
    args: [],
  });
  const content: Record<string, { sql: string; rows: unknown[] }> = {};
  for (const { type, name, sql } of made) {
    const columns = name === "migrations" ? "target, version, name" : "*";
    const select = { sql: `select ${columns} from "${name}"`, args: [] };
    content[name] = { sql, rows: type === "table" ? await database.query(select) : [] };
  }
  return content;
}

describe("the migrations", () => {
  test("make of an empty database, each by itself, what it is made of at once", async () => {
    expect(readFileSync(join(import.meta.dir, "../../src/store/migrations/newest.ts"), "utf8")).toBe(
      await newestSchema(),
    );
    const made = [MIGRATIONS, [...MIGRATIONS]].map(async (list) => {
      using directory = ownDirectory();
      const store = await openStore(directory.config, "write");
      await migrate(store, list);
      const content = { records: await contentOf(store.records), bodies: await contentOf(store.bodies) };
      await store.close();
      return content;
    });
    const [atOnce, byThemselves] = await Promise.all(made);
    expect(atOnce!).toEqual(byThemselves!);
    expect(atOnce!.records["block_watch"]!.rows).toHaveLength(1);
  });

  test.each(TABLES.map((table) => [getTableConfig(table).name, table] as const))(
    "make the table %s as the code knows it",
    async (name, table) => {
      using directory = ownDirectory();
      const store = await openStore(directory.config, "write");
      await migrate(store);
      const database = IN_BODIES.has(name) ? store.bodies : store.records;
      const config = getTableConfig(table);
      const keyed = new Set(config.primaryKeys.flatMap((key) => key.columns.map((part) => part.name)));
      const known = config.columns.map((c) => {
        const value = c.default === undefined ? null : c.mapToDriverValue(c.default);
        const fallback = typeof value === "string" ? `'${value}'` : value;
        return column(
          c.name,
          c.getSQLType(),
          c.notNull || keyed.has(c.name),
          fallback as string | null,
          c.primary || keyed.has(c.name),
        );
      });
      const made = await database.query<{
        name: string;
        type: string;
        notnull: number;
        dflt_value: string;
        pk: number;
      }>({
        sql: "select * from pragma_table_info(?)",
        args: [name],
      });
      expect(made.map((c) => column(c.name, c.type, c.notnull === 1, c.dflt_value, c.pk > 0))).toEqual(known);

      const indexes = await database.query<{ name: string; unique: number; columns: string }>({
        sql: `select l.name, l."unique", (select group_concat(i.name) from pragma_index_info(l.name) i) as columns
          from pragma_index_list(?) l where l.origin = 'c' order by l.name`,
        args: [name],
      });
      const knownIndexes = [
        ...config.indexes.map(({ config: index }) => ({
          name: index.name,
          unique: index.unique ? 1 : 0,
          columns: index.columns.map((c) => ("name" in c ? c.name : "?")).join(","),
        })),
        ...config.columns.filter((c) => c.isUnique).map((c) => ({ name: c.uniqueName!, unique: 1, columns: c.name })),
      ];
      expect(indexes).toEqual(knownIndexes.sort((a, b) => (a.name < b.name ? -1 : 1)));
      await store.close();
    },
  );

  test("make no table that the code does not know", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(store);
    const sql =
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> 'migrations'";
    const made = [
      ...(await store.records.query<{ name: string }>({ sql, args: [] })),
      ...(await store.bodies.query<{ name: string }>({ sql, args: [] })),
    ];
    expect(made.map(({ name }) => name).sort()).toEqual(TABLES.map((table) => getTableConfig(table).name).sort());
    await store.close();
  });

  test("are numbered from 1 without gaps", () => {
    for (const target of ["records", "bodies"]) {
      const versions = MIGRATIONS.filter((migration) => migration.target === target).map(({ version }) => version);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
    }
  });

  test("run once, also when two programs start at the same time", async () => {
    using directory = ownDirectory();
    const stores = [await openStore(directory.config, "write"), await openStore(directory.config, "write")];
    await Promise.all(stores.map((store) => migrate(store)));
    await migrate(stores[0]!);
    const rows = await stores[1]!.records.query<unknown>({ sql: "select target, version from migrations", args: [] });
    expect(rows).toHaveLength(MIGRATIONS.filter(({ target }) => target === "records").length);
    for (const store of stores) await store.close();
  });

  test("leave nothing of a step that fails, and continue with it once it is fixed", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(store);
    const step = (statements: string[]): Migration[] => [
      ...MIGRATIONS,
      {
        target: "records",
        version: MIGRATIONS.filter(({ target }) => target === "records").length + 1,
        name: "next",
        statements,
      },
    ];
    await expect(migrate(store, step(["create table next_one (a)", "create tabel"]))).rejects.toThrow("syntax error");
    await migrate(store, step(["create table next_one (a)"]));
    await store.records.query({ sql: "select * from next_one", args: [] });
    await store.close();
  });

  test("tell what the gateway could not serve from what it refused, and have blocks made again", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(
      store,
      MIGRATIONS.filter(({ target, version }) => target === "bodies" || version < 10),
    );
    const record = (seq: number, status: number | null, outcome: string | null) => ({
      sql: `insert into requests (seq, request_id, organization_id, key_id, method, provider, request_created_at, updated_at,
        response_status, outcome) values (?, ?, 'o', 'k', 'POST', 'P', 0, 0, ?, ?)`,
      args: [seq, `r${seq}`, status, outcome],
    });
    await store.records.batch([
      record(1, 429, "refused"),
      record(2, 500, "refused"),
      record(3, 503, "refused"),
      record(4, 500, "complete"),
      record(5, null, null),
      {
        sql: "insert into blocks (first_seq, last_seq, rows, odd_rows, names_complete) values (1, 5, 5, 0, 1)",
        args: [],
      },
      { sql: "insert into block_columns (block, name, data) values (1, 'seq', x'00')", args: [] },
      { sql: "update block_watch set seq = 5", args: [] },
    ]);
    await migrate(store);
    const rows = await store.records.query({ sql: "select outcome from requests order by seq", args: [] });
    expect(rows.map((row) => (row as { outcome: string | null }).outcome)).toEqual([
      "refused",
      "failed",
      "failed",
      "complete",
      null,
    ]);
    const left = `select (select count(*) from blocks) + (select count(*) from block_columns)
      + (select count(*) from block_changes) + (select seq from block_watch) as n`;
    expect(await store.records.query({ sql: left, args: [] })).toEqual([{ n: 0 }]);
    await store.close();
  });

  test("show rows and kinds of before without a reason to finish, and with it from then on", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(
      store,
      MIGRATIONS.filter(({ target, version }) => target === "bodies" || version < 21),
    );
    const insert = (seq: number, model: string | null, kind: number | null) => ({
      sql: `insert into requests (seq, request_id, organization_id, key_id, method, provider, model, request_created_at,
        updated_at, kind) values (?, ?, 'o', 'k', 'POST', 'P', ?, 0, 0, ?)`,
      args: [seq, `r${seq}`, model, kind],
    });
    await store.records.batch([
      insert(1, "m-1", null),
      { sql: "insert into kinds (id, model) values (7, 'm-2')", args: [] },
      insert(2, null, 7),
    ]);
    await migrate(store);
    await store.records.batch([
      { sql: "insert into kinds (id, model, finish_reason) values (8, 'm-3', 'stop')", args: [] },
      insert(3, null, 8),
    ]);
    const shown = "select model, finish_reason from whole_requests order by seq";
    expect(await store.records.query({ sql: shown, args: [] })).toEqual([
      { model: "m-1", finish_reason: null },
      { model: "m-2", finish_reason: null },
      { model: "m-3", finish_reason: "stop" },
    ]);
    await store.close();
  });

  test("keep rows, their pages and the ids of organizations where indexes become shorter", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(
      store,
      MIGRATIONS.filter(({ target, version }) => target === "bodies" || version < 20),
    );
    const organization = "0b0dd2f4-8f3c-8a1b-8c5d-2f6f3c1d9e70";
    const insert = (seq: number, created: number, user: string | null) => ({
      sql: `insert into requests (seq, request_id, organization_id, key_id, method, provider, user_id, request_created_at,
        updated_at) values (?, ?, ?, 'k', 'POST', 'P', ?, ?, 0)`,
      args: [seq, `r${seq * 7 - (seq % 3) * 20}`, organization, user, created] as const,
    });
    const rows = Array.from({ length: 30 }, (_, at) => insert(at + 1, at % 4, at % 2 ? "u" : null));
    const makeOrganization = "insert into organizations (id, name, created_at) values (?, 'acme', 0)";
    await store.records.batch([{ sql: makeOrganization, args: [organization] }, ...rows]);
    await migrate(store);
    const ids = (index: string, where: string) =>
      store.records.query({
        sql: `select request_id from requests indexed by ${index} where organization_id = ? and ${where}
          order by request_created_at desc, request_id desc`,
        args: [organization],
      });
    const byHand = (which: typeof rows) =>
      which
        .toSorted(({ args: a }, { args: b }) => b[4]! - a[4]! || (a[1]! < b[1]! ? 1 : -1))
        .map(({ args }) => ({ request_id: args[1]! }));
    expect(await ids("requests_created", "true")).toEqual(byHand(rows));
    expect(await ids("requests_users", "user_id = 'u'")).toEqual(byHand(rows.filter(({ args }) => args[3] === "u")));
    expect(await ensureOrganization(store.records, "acme")).toBe(organization);
    await store.close();
  });

  test("refuse a database that a newer version has been at", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(store);
    await store.records.batch([{ sql: "insert into migrations values ('records', 99, 'later', 0)", args: [] }]);
    await expect(migrate(store)).rejects.toMatchObject({
      code: "database_newer",
      message: expect.stringContaining("version 99"),
    });
    await store.close();
  });

  test.each([
    ["records", "customers (name text)", "customers"],
    ["bodies", "customers (name text)", "customers"],
    ["records", "migrations (id integer primary key, migration varchar, batch integer)", "migrations"],
    ["bodies", "migrations (timestamp bigint, name varchar)", "migrations"],
  ] as const)("leave a database of something else alone: %s with %s", async (which, table, name) => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await store[which].batch([{ sql: `create table ${table}`, args: [] }]);
    await expect(migrate(store)).rejects.toMatchObject({
      code: "database_foreign",
      message: expect.stringContaining(`(${name})`),
    });
    const sql = "select name from sqlite_master where name not like 'sqlite%'";
    expect(await store[which].query({ sql, args: [] })).toEqual([{ name }]);
    await store.close();
  });

  test("take a database in which only the system has tables", async () => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await store.records.batch([{ sql: "create table _litestream_seq (id integer)", args: [] }]);
    await migrate(store);
    expect(await store.records.query({ sql: "select count(*) as n from requests", args: [] })).toEqual([{ n: 0 }]);
    await store.close();
  });
});
