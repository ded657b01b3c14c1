import { beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { getTableColumns } from "drizzle-orm";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { COLUMN_TYPES, REQUEST_TYPES, WHOLE } from "../../../src/engine/clickhouse/columns.ts";
import { placedRows } from "../../../src/engine/clickhouse/look-up.ts";
import type { ReaderOptions } from "../../../src/engine/clickhouse/records.ts";
import {
  type BodyPlace,
  storedColumns,
  toRequestRow,
  toTableRow,
  withWhole,
} from "../../../src/engine/clickhouse/rows.ts";
import {
  makeTables,
  SINGLE,
  TABLES_VERSION,
  tableStatements,
  tablesVersion,
} from "../../../src/engine/clickhouse/tables.ts";
import { deleteIds, updateRows } from "../../../src/engine/clickhouse/write/update.ts";
import type { Storable } from "../../../src/engine/storable.ts";
import { requests } from "../../../src/record/tables.ts";
import { REQUEST_COLUMNS } from "../../../src/record/written-row.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

const TIME = Date.UTC(2026, 2, 3, 4, 5, 6, 789);
const PLACE: BodyPlace = { object: "pack-7", offset: 5_000_000_000, bytes: 1_234 };

test("every column of SQLite's table has a column, except those that locate a value", () => {
  const there = new Set([...Object.keys(REQUEST_TYPES), "kind", "excerpts_packed"]);
  expect([...there].sort()).toEqual([...REQUEST_COLUMNS].sort());
});

test("a column may hold null where SQLite's may", () => {
  const columns: Readonly<Record<string, { notNull: boolean }>> = getTableColumns(requests);
  const values = Object.entries(REQUEST_TYPES).filter(([, type]) => !/^(Map|Array)/.test(type));
  const mayBeNull = values.filter(([, type]) => type.includes("Nullable(")).map(([name]) => name);
  expect(mayBeNull).toEqual(values.flatMap(([name]) => (columns[name]!.notNull ? [] : [name])));
});

test("in a cluster tables are made on all servers, replicated, and read through Distributed ones", () => {
  const statements = tableStatements({ cluster: "all", hasKeeper: true }, "weir").join(";\n");
  expect(statements).toContain("create table if not exists requests_local on cluster `all`");
  expect(statements).toContain(
    "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/open_local', '{replica}', version, is_ended)",
  );
  expect(statements).toContain("as requests_local engine = Distributed('all', 'weir', 'requests_local', cityHash64(");
  expect(statements).not.toContain("non_replicated");
});

/** An id that tells this time, whatever ids this process has made before. */
function idAt(time: number): string {
  const hex = time.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

let client: ClickHouse;

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else tables();

function tables(): void {
  beforeAll(async () => {
    client = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    await makeTables(client);
    await makeTables(client);
  });

  test("a record is read as it was stored", async () => {
    const id = uuidv7(TIME);
    const stored = storable(id);
    await client.insert("requests", [toTableRow(stored, { keepsTexts: true, place: PLACE })]);
    const columns = storedColumns(REQUEST_COLUMNS).join(", ");
    const [read] = await client.query<Record<string, unknown>>(
      `select ${columns} from requests where request_id = '${id}'`,
    );
    const { kind, excerpts_packed, ...row } = stored.row;
    const defaults = Object.fromEntries(storedColumns(REQUEST_COLUMNS).map((name) => [name, null]));
    const expected: unknown = {
      ...defaults,
      ...{ usage_estimated: 0, cache_enabled: 0, cached: 0, streamed: 0, truncated: 0, is_passthrough_billing: 0 },
      ...{ size_bytes: 0, storage_location: "libsql", gateway_warnings: "[]", ai_gateway_body_mapping: "NO_MAPPING" },
      ...row,
      ...stored.excerpts,
    };
    expect(toRequestRow(read!)).toEqual(expected as never);
    const further = Object.keys(COLUMN_TYPES).filter((name) => !Object.hasOwn(REQUEST_TYPES, name));
    expect(await client.query(`select ${further.join(", ")} from requests where request_id = '${id}'`)).toEqual([
      {
        case_erased: ["app"],
        inputs_case_erased: [],
        prompt_text: "What's \\ it?\n",
        completion_text: null,
        said_words: " it s snowing ",
        body_object: PLACE.object,
        body_offset: PLACE.offset,
        body_bytes: PLACE.bytes,
      },
    ]);
  });

  test("texts stay out where they are not searched", async () => {
    const id = uuidv7(TIME);
    await client.insert("requests", [toTableRow(storable(id), { keepsTexts: false })]);
    expect(
      await client.query(`select prompt_text, said_words, body_object from requests where request_id = '${id}'`),
    ).toEqual([{ prompt_text: null, said_words: null, body_object: "" }]);
  });

  test("the time of an id without a time is stored in a column", async () => {
    const [near, far, chosen] = [idAt(TIME + 59_000), idAt(TIME + 3_600_000), "chosen-by-a-client"];
    await client.insert(
      "requests",
      [near, far, chosen].map((id) => toTableRow(storable(id), { keepsTexts: false })),
    );
    const rows = await client.query<{ request_id: string }>(
      `select request_id, request_created_at as at from ids where request_id in ('${near}', '${far}', '${chosen}')`,
    );
    expect(rows.sort((a, b) => (a.request_id < b.request_id ? -1 : 1))).toEqual(
      [far, chosen].sort().map((request_id) => ({ request_id, at: TIME })) as never,
    );
  });

  test("a batch that is sent again with its token is stored once", async () => {
    const rows = [uuidv7(), uuidv7()].map((id) => toTableRow(storable(id), { keepsTexts: true }));
    const settings = { insert_deduplication_token: "node:1:2" };
    for (let time = 0; time < 3; time++) await client.insert("requests", rows, { settings });
    const ids = rows.map(({ request_id }) => `'${request_id}'`).join(", ");
    expect(await client.query(`select count() as n from requests where request_id in (${ids})`)).toEqual([{ n: 2 }]);
  });

  test("changes of one record at once are all kept, and seen at once", async () => {
    const id = uuidv7(TIME);
    await client.insert("requests", [toTableRow(storable(id), { keepsTexts: true })]);
    const names = Array.from({ length: 8 }, (_, index) => `name-${index}`);
    await Promise.all(
      names.map((name) =>
        client.command(
          `update requests set properties = mapUpdate(properties, map('${name}', 'x')) where request_id = '${id}'`,
        ),
      ),
    );
    const [row] = await client.query<{ properties: object }>(
      `select properties from requests where request_id = '${id}'`,
    );
    expect(Object.keys(row!.properties).sort()).toEqual(["app", "Tier", ...names].sort());
  });

  test("a row whole is the row by its columns, until it is changed", async () => {
    const [id, other] = [uuidv7(TIME), uuidv7(TIME)];
    const rows = [id, other].map((each) => toTableRow(storable(each), { keepsTexts: true, place: PLACE }));
    await client.insert("requests", rows.map(withWhole));
    expect(await wholes(client)).toMatchObject({ [id]: true, [other]: true });
    const before = await readBothWays(client, [id, other]);
    expect(before.whole).toEqual(before.byColumns);
    const key = { request_id: id, organization_id: "org-1", request_created_at: TIME };
    const set = { scores: "map('n', toFloat64(7))", input: "null", properties: "map()" };
    await updateRows(client, { table: "requests", layout: SINGLE }, [{ key, set }]);
    expect(await wholes(client)).toMatchObject({ [id]: false, [other]: true });
    const after = await readBothWays(client, [id, other]);
    expect(after.whole).toEqual(after.byColumns);
    expect(after.whole[0]).toEqual({ ...before.whole[0]!, scores: { n: 7 }, input: null, properties: {} });
    expect(after.whole[1]).toEqual(before.whole[1]!);
  });

  test("tables of version 2 are taken over: their rows stay, and noted times can be deleted", async () => {
    const earlier = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    await earlier.command(`create database ${earlier.database}`, { isOutside: true });
    for (const statement of tableStatements(SINGLE, earlier.database)) await earlier.command(asInVersion2(statement));
    await earlier.insert("versions", [{ version: 2, made_at: 0 }]);
    const ids = ["one", "two", "three"];
    // Of separate parts, which are merged before the change, and of one that is not.
    for (const id of ids) await earlier.insert("requests", [toTableRow(storable(id), { keepsTexts: false })]);
    await earlier.command("optimize table ids final");
    await earlier.insert("requests", [toTableRow(storable("four"), { keepsTexts: false })]);
    await makeTables(earlier);
    expect(await tablesVersion(earlier)).toBe(TABLES_VERSION);
    await deleteIds(earlier, SINGLE, { organizationId: "org-1", requestIds: ["two", "four", "never"] });
    await deleteIds(earlier, SINGLE, { organizationId: "org-2", requestIds: ids });
    const left = () => earlier.query<{ id: string }>("select request_id as id from ids order by id");
    expect(await left()).toEqual([{ id: "one" }, { id: "three" }]);
    await earlier.command("optimize table ids final");
    expect(await left()).toEqual([{ id: "one" }, { id: "three" }]);
    const [open] = await earlier.query<{ sql: string }>(
      "select create_table_query as sql from system.tables where database = currentDatabase() and name = 'open'",
    );
    expect(open!.sql).toContain("allow_experimental_replacing_merge_with_cleanup = 1");
    // Rows of parts without the column are read by their columns, changed or not.
    await earlier.insert("requests", [withWhole(toTableRow(storable("five"), { keepsTexts: false }))]);
    const key = { request_id: "two", organization_id: "org-1", request_created_at: TIME };
    await updateRows(earlier, { table: "requests", layout: SINGLE }, [{ key, set: { cost: "7" } }]);
    expect(await wholes(earlier)).toEqual({ one: false, two: false, three: false, four: false, five: true });
    const { whole, byColumns } = await readBothWays(earlier, ["one", "two", "three", "four", "five"]);
    expect(whole).toEqual(byColumns);
    expect(whole.map(({ cost }) => cost)).toEqual([0.1 + 0.2, 7, 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2]);
  });

  test("tables of a later version are left alone", async () => {
    const later = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    expect(await tablesVersion(later)).toBeUndefined();
    await makeTables(later);
    expect(await tablesVersion(later)).toBe(TABLES_VERSION);
    await later.insert("versions", [{ version: TABLES_VERSION + 1, made_at: 0 }]);
    const error: unknown = await makeTables(later).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "database_newer" });
  });
}

/** For each record, whether its row is stored whole. */
async function wholes(of: ClickHouse): Promise<Readonly<Record<string, boolean>>> {
  const rows = await of.query<{ id: string; n: number }>("select request_id as id, length(whole) as n from requests");
  return Object.fromEntries(rows.map(({ id, n }) => [id, n > 0]));
}

/** Rows as pages read them, and column by column. */
async function readBothWays(of: ClickHouse, ids: readonly string[]) {
  const places = ids.map((requestId) => ({ requestId, createdAt: TIME }));
  const columns = storedColumns(REQUEST_COLUMNS);
  const options = { client: of, hasOpenRows: false } as unknown as ReaderOptions;
  type Row = { readonly request_id: string } & Readonly<Record<string, unknown>>;
  const inOrder = (rows: readonly Row[]) =>
    rows.toSorted((a, b) => ids.indexOf(a.request_id) - ids.indexOf(b.request_id));
  const some = ids.map((id) => `'${id}'`).join(", ");
  return {
    whole: inOrder(await placedRows<Row>(options, { organizationId: "org-1", places, columns })),
    byColumns: inOrder(await of.query<Row>(`select ${columns.join(", ")} from requests where request_id in (${some})`)),
  };
}

/** A statement of that version, as far as it was another one. */
function asInVersion2(statement: string): string {
  if (/^create table if not exists requests /.test(statement)) return statement.replace(`${WHOLE}, `, "");
  if (/^create table if not exists ids /.test(statement))
    return statement.replace("enable_block_number_column = 1, enable_block_offset_column = 1, ", "");
  return statement.replace("allow_experimental_replacing_merge_with_cleanup = 1, ", "");
}

function storable(id: string): Storable {
  const properties = { app: "it's", Tier: "\\gold\t" };
  return {
    row: {
      request_id: id,
      organization_id: "org-1",
      key_id: "key-1",
      method: "POST",
      provider: "OPENAI",
      model: "m-1",
      request_created_at: TIME,
      updated_at: TIME + 5,
      response_status: 200,
      cost: 0.1 + 0.2,
      delay_ms: 1e-7,
      total_tokens: 9_007_199_254_740_991,
      threat: 0,
      error_message: "'; drop table requests; --",
      properties: JSON.stringify(properties),
      prompt_inputs: "{}",
      scores: '{"quality":0.30000000000000004,"n":-5}',
      assets: '["a1","a2"]',
      unread: "",
    },
    labels: {
      properties,
      promptInputs: {},
      erasedProperties: new Set(["app"]),
      erasedInputs: new Set(),
    },
    parts: [],
    texts: { prompt: "What's \\ it?\n", completion: null, said: "It's  snowing ☃" },
    assets: [],
    excerpts: { input: "in", output: null },
  };
}
