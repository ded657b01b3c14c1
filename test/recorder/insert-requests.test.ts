import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertRequests, type NumberedRow, type StoredRow } from "../../src/engine/libsql/write/insert-requests.ts";
import { REQUEST_COLUMNS, type RequestRow } from "../../src/record/written-row.ts";
import { openLocal } from "../../src/store/database/local.ts";
import { migrate } from "../../src/store/migrate.ts";
import type { Statement } from "../../src/store/store.ts";

const directory = mkdtempSync(join(tmpdir(), "weir-rows-"));
const store = openLocal(join(directory, "weir.db"), "write");
await migrate(store);
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const BLANK = Object.fromEntries(REQUEST_COLUMNS.map((column) => [column, null])) as unknown as RequestRow;
let last = 0;

/** A row of a kind: kinds differ in what requests of one client for one model have in common, and in nothing else. */
function numbered(kind: number, more: Partial<RequestRow> = {}): NumberedRow {
  const seq = ++last;
  const row: StoredRow = {
    ...BLANK,
    request_id: `id-${seq}`,
    organization_id: `org-${kind % 3}`,
    key_id: "key",
    gateway_user: kind === 4 ? null : "team",
    method: "POST",
    target_url: `https://llm.acme.test/${kind}`,
    request_path: `/${kind}`,
    provider: "CUSTOM",
    model: kind === 5 ? null : "m-1",
    request_created_at: 1_000 + seq,
    updated_at: 2_000,
    response_status: seq % 7 === 0 ? null : 200,
    cost: seq % 5 === 0 ? null : seq / 8,
    user_id: seq % 11 === 0 ? "ann" : null,
    properties: "{}",
    prompt_inputs: "{}",
    scores: "{}",
    assets: "[]",
    storage_location: "libsql",
    time_partition: kind % 2,
    ...more,
  };
  return { key: seq, row };
}

/** Rows of one kind whose tokens have details; `each` says which. */
const detailed = (each: (at: number) => Partial<RequestRow>) =>
  Array.from({ length: 70 }, (_, at) =>
    numbered(6, { organization_id: "org", response_status: 200, prompt_tokens: at, ...each(at) }),
  );

const of = (count: number, kind: number) => Array.from({ length: count }, () => numbered(kind));
/** Zero where a column may not be null: what the database then holds of a row that says nothing. */
const ZERO = ["usage_estimated", "cache_enabled", "cached", "streamed", "truncated", "is_passthrough_billing"];

test.each([
  ["none", []],
  ["fewer than fill a statement", of(31, 0)],
  ["exactly one statement", of(32, 0)],
  ["many of one kind and a rest", of(101, 1)],
  ["kinds that take turns", Array.from({ length: 160 }, (_, at) => numbered(at % 4))],
  ["kinds that have no user and no model", [...of(40, 4), ...of(40, 5), ...of(40, 0)]],
  ["more kinds than are told apart", Array.from({ length: 200 }, (_, at) => numbered(at % 20))],
  ["equal details of tokens", detailed(() => ({ reasoning_tokens: 0, prompt_audio_tokens: 3 }))],
  [
    "details of tokens, one of them different",
    detailed((at) => ({ reasoning_tokens: 0, prompt_audio_tokens: at === 40 ? 3 : 0 })),
  ],
  ["details of tokens that one row lacks", detailed((at) => (at === 9 ? {} : { prompt_cache_read_tokens: 5 }))],
  ["every row a kind of its own", Array.from({ length: 64 }, (_, at) => numbered(100 + at))],
] as const)("every row is in the table as it was given: %s", async (_name, rows) => {
  const statements: Statement[] = [];
  insertRequests(rows, statements);
  await store.records.batch(statements);
  const stored = await store.records.query<Record<string, unknown>>({
    sql: "select * from requests where seq > ? and seq <= ? order by seq",
    args: rows.length === 0 ? [0, 0] : [Number(rows[0]!.key) - 1, rows.at(-1)!.key],
  });
  const expected = rows.map(({ key, row }) => ({
    ...row,
    ...Object.fromEntries(ZERO.map((column) => [column, 0])),
    size_bytes: 0,
    gateway_warnings: "[]",
    ai_gateway_body_mapping: "NO_MAPPING",
    seq: key,
  }));
  expect(stored).toEqual(expected);
});

test("a row whose id is taken changes nothing, and the others are inserted", async () => {
  const first = of(32, 0);
  const second = of(32, 0).map((each, at) =>
    at === 7 ? { ...each, row: { ...each.row, request_id: first[3]!.row.request_id, method: "PUT" } } : each,
  );
  for (const rows of [first, second]) {
    const statements: Statement[] = [];
    insertRequests(rows, statements);
    await store.records.batch(statements);
  }
  const [{ n, methods } = { n: 0, methods: "" }] = await store.records.query<{ n: number; methods: string }>({
    sql: "select count(*) as n, group_concat(distinct method) as methods from requests where seq >= ?",
    args: [first[0]!.key],
  });
  expect({ n, methods }).toEqual({ n: 63, methods: "POST" });
});
