import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { isTooOld, youngest } from "../../src/jobs/retention/ages.ts";
import { insertWords } from "../../src/store/words/shards.ts";
import { insertInto, insertRecord, openApi, type TestApi } from "../api/open.ts";
import { until } from "../until.ts";

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const rule = (property: string, value: string | null, days: number | null, body_days: number | null = null) => ({
  property,
  value,
  days,
  body_days,
});
const has = (name: string, value: string, case_erased = 0) => ({ name, value, case_erased });

test.each([
  ["younger than it may get", 30, 7, [], 6.9, [], undefined],
  ["too old for its bodies", 30, 7, [], 7.1, [], "bodies"],
  ["too old", 30, 7, [], 30.1, [], "record"],
  ["kept for good", 0, 0, [], 999, [], undefined],
  ["kept for good without bodies", 0, 7, [], 999, [], "bodies"],
  ["kept longer for a property", 30, 0, [rule("Audit", null, 365)], 100, [has("Audit", "x")], undefined],
  ["kept for good for a property", 30, 0, [rule("Audit", null, 0)], 999, [has("Audit", "x")], undefined],
  ["kept less long for a value", 30, 0, [rule("Env", "dev", 1)], 2, [has("Env", "dev")], "record"],
  ["of another value", 30, 0, [rule("Env", "dev", 1)], 2, [has("Env", "prod")], undefined],
  ["of a name that lost its case", 30, 0, [rule("Env", "dev", 1)], 2, [has("env", "dev", 1)], "record"],
  ["of a name of another case", 30, 0, [rule("Env", "dev", 1)], 2, [has("env", "dev")], undefined],
  [
    "of two rules, the longer",
    30,
    0,
    [rule("A", null, 1), rule("B", null, 60)],
    40,
    [has("A", ""), has("B", "")],
    undefined,
  ],
  [
    "of two rules, one for good",
    30,
    0,
    [rule("A", null, 1), rule("B", null, 0)],
    999,
    [has("A", ""), has("B", "")],
    undefined,
  ],
  ["whose bodies alone are kept longer", 0, 7, [rule("Audit", null, null, 365)], 100, [has("Audit", "x")], undefined],
  [
    "whose rule is of its bodies, too old all the same",
    30,
    7,
    [rule("Audit", null, null, 365)],
    31,
    [has("Audit", "x")],
    "record",
  ],
] as const)("a record %s", (_name, days, body_days, properties, ageDays, stored, expected) => {
  expect(isTooOld({ days, body_days, properties }, NOW - ageDays * DAY_MS, stored, { records: NOW, bodies: NOW })).toBe(
    expected,
  );
});

test("only what is older than the shortest time is looked at", () => {
  expect(youngest({ days: 0, body_days: 0, properties: [] }, { records: NOW, bodies: NOW })).toBe(undefined);
  expect(youngest({ days: 30, body_days: 0, properties: [rule("A", null, 2)] }, { records: NOW, bodies: NOW })).toBe(
    NOW - 2 * DAY_MS,
  );
  expect(youngest({ days: 0, body_days: 9, properties: [rule("A", null, 0)] }, { records: NOW, bodies: NOW })).toBe(
    NOW - 9 * DAY_MS,
  );
});

let api: TestApi;
beforeAll(async () => {
  api = await openApi({ retention_days: 0, body_retention_days: 0 });
});
afterAll(() => api[Symbol.asyncDispose]());

const SHARED = "ab".repeat(32);

async function record(organization: string, ageDays: number, properties: Record<string, string> = {}): Promise<string> {
  const time = Math.trunc(Date.now() - ageDays * DAY_MS);
  const shown = { input: "p", output: "c" };
  const row = { request_created_at: time, updated_at: time, properties: JSON.stringify(properties), ...shown };
  const content = Buffer.alloc(20_000, "x");
  const id = await insertRecord(api.store, organization, row, { request: { form: "text", content } });
  await api.store.bodies.batch([
    insertInto("bodies", {
      request_id: id,
      part: "response",
      form: "text",
      bytes: 5,
      codec: "plain",
      blob_hash: SHARED,
    }),
    insertInto("texts", { request_id: id, prompt: "p", completion: "c" }),
  ]);
  for (const [name, value] of Object.entries(properties)) {
    const [found] = await api.store.records.query<{ seq: number }>({
      sql: "select seq from requests where request_id = ?",
      args: [id],
    });
    const property = { organization_id: organization, kind: 0, name, value, request_created_at: time, seq: found!.seq };
    await api.store.records.batch([insertInto("properties", property)]);
  }
  return id;
}

/** The ids of which something is in a table. */
async function idsIn(table: "requests" | "bodies" | "texts"): Promise<Set<string>> {
  const database = table === "requests" ? api.store.records : api.store.bodies;
  const rows = await database.query<{ request_id: string }>({ sql: `select request_id from ${table}`, args: [] });
  return new Set(rows.map(({ request_id }) => request_id));
}

/** Resolves when the run is done, with what belongs to no organization: that is its last part. */
async function run(key = api.keys.all) {
  const tidied = async () => {
    const sql = "select finished_at from retention_runs where organization_id = ''";
    return (await api.store.records.query<{ finished_at: number }>({ sql, args: [] }))[0]?.finished_at;
  };
  const before = await tidied();
  expect((await api.call("POST", "/v1/retention/run", { key })).json.data).toEqual({ ordered: true });
  await until(
    async () => (await tidied()) !== before,
    180_000,
    () => "no run",
  );
  return (await api.call("GET", "/v1/retention", { key })).json.data.last_run;
}

test("a run removes invitations 30 days after they were used, revoked or expired", async () => {
  const { organization, store } = api;
  const ago = (days: number) => Math.trunc(Date.now() - days * DAY_MS);
  const ended = { "used long ago": [99, 31], used: [31, 29], "expired long ago": [31], expired: [29], pending: [-1] };
  const invitations = Object.entries(ended).map(([id, [expires, used]]) => ({
    ...{ id, token_hash: id, email: "a@b.test", organization_id: organization, role: "viewer", invited_by: "op" },
    ...{ created_at: ago(99), expires_at: ago(expires!), used_at: used === undefined ? null : ago(used) },
  }));
  await store.records.batch(invitations.map((row) => insertInto("invitations", row)));
  await run();
  const left = await store.records.query<{ id: string }>({ sql: "select id from invitations order by id", args: [] });
  expect(left.map(({ id }) => id)).toEqual(["expired", "pending", "used"]);
});

test("a run removes records by the organization's rules, and none of another organization", async () => {
  await api.store.bodies.batch([
    insertInto("blobs", { hash: SHARED, codec: "plain", bytes: 5, data: Buffer.from("hello") }),
  ]);
  const { organization, other } = api;
  const old = await record(organization, 40);
  const middle = await record(organization, 10);
  const young = await record(organization, 1);
  const audited = await record(organization, 40, { Audit: "yes" });
  const development = await record(organization, 2, { Env: "dev" });
  const theirs = await record(other, 40);
  const properties = [
    { property: "Audit", days: 0, body_days: 0 },
    { property: "Env", value: "dev", days: 1 },
  ];
  await api.call("PUT", "/v1/retention", { body: { days: 30, body_days: 7, properties } });
  await api.store.records.batch([{ sql: "update block_watch set seq = 1000", args: [] }]);
  const [{ seq } = { seq: 0 }] = await api.store.records.query<{ seq: number }>({
    sql: "select seq from requests where request_id = ?",
    args: [old],
  });
  const words = [
    { seq, organizationId: organization, text: "zebraold" },
    { seq: 999, organizationId: organization, text: "zebralost" },
    { seq: seq + 2, organizationId: organization, text: "zebrayoung" },
  ];
  await api.store.bodies.batch(insertWords(words));
  expect(await run()).toMatchObject({ records_removed: 2, bodies_removed: 1, error: null });
  expect(await idsIn("requests")).toEqual(new Set([middle, young, audited, theirs]));
  expect(await idsIn("bodies")).toEqual(new Set([young, audited, theirs]));
  expect(await idsIn("texts")).toEqual(new Set([young, audited, theirs]));
  const { json } = await api.call("GET", `/v1/request/${middle}`);
  expect(json.data).toMatchObject({ request_id: middle, request_body: null, response_body: null });
  expect(json.data).toMatchObject({ input: null, output: null });
  const index = await api.store.bodies.query<{ block: Uint8Array }>({
    sql: "select block from words_0_data",
    args: [],
  });
  const holds = (word: string) => index.some(({ block }) => Buffer.from(block).includes(word));
  expect(["ebraold", "ebralost", "ebrayoung"].map(holds)).toEqual([false, false, true]);
  // No block is made again for it: only the two records that are gone are noted.
  const noted = "select count(*) as n from block_changes";
  expect(await api.store.records.query({ sql: noted, args: [] })).toEqual([{ n: 2 }]);
  for (const id of [old, development]) expect((await api.call("GET", `/v1/request/${id}`)).status).toBe(404);
  const figures = await api.call("POST", "/v1/metrics/query", { body: {} });
  expect(figures.json.data).toMatchObject([{ requests: 3 }]);
  // What is done is not done again.
  expect(await run()).toMatchObject({ records_removed: 0, bodies_removed: 0 });
}, 300_000);

test("bodies that a crash left, and content that nothing points at, are collected, and the files shrink", async () => {
  const ids: string[] = [];
  for (let at = 0; at < 300; at++) ids.push(crypto.randomUUID());
  await api.store.bodies.batch(
    ids.map((request_id) =>
      insertInto("bodies", {
        request_id,
        part: "raw",
        form: "text",
        bytes: 1,
        codec: "plain",
        data: Buffer.alloc(30_000),
      }),
    ),
  );
  await api.store.bodies.batch([
    insertInto("blobs", { hash: "cd".repeat(32), codec: "plain", bytes: 5, data: Buffer.from("hello") }),
    insertInto("texts", { request_id: crypto.randomUUID(), prompt: "lost", completion: null }),
  ]);
  const path = join(api.config.data_dir, "bodies.db");
  /** The file's size once all is in it: a reader elsewhere may keep a part in the log for a moment. */
  const sizeOnceIn = async () => {
    await until(async () => {
      const sql = "pragma wal_checkpoint(truncate)";
      const [row] = await api.store.bodies.query<{ busy: number }>({ sql, args: [] });
      return row?.busy === 0;
    });
    return statSync(path).size;
  };
  const before = await sizeOnceIn();
  const kept = await idsIn("requests");
  const used = insertInto("kinds", { id: 7, model: "used" });
  const unused = insertInto("kinds", { id: 8, model: "unused" });
  const refer = { sql: "update requests set kind = 7 where seq = (select max(seq) from requests)", args: [] };
  await api.store.records.batch([used, unused, refer]);
  expect(await run()).toMatchObject({ orphans_removed: 303, error: null });
  const kinds = await api.store.records.query<{ id: number }>({ sql: "select id from kinds", args: [] });
  expect(kinds.map(({ id }) => id)).toEqual([7]);
  expect(await idsIn("requests")).toEqual(kept);
  expect([...(await idsIn("bodies"))].filter((id) => ids.includes(id))).toEqual([]);
  expect([...(await idsIn("texts"))].filter((id) => !kept.has(id))).toEqual([]);
  const blobs = await api.store.bodies.query<{ hash: string }>({ sql: "select hash from blobs", args: [] });
  expect(blobs.map(({ hash }) => hash)).toEqual([SHARED]);
  expect(await sizeOnceIn()).toBeLessThan(before - 5_000_000);
  const { last_run } = (await api.call("GET", "/v1/storage")).json.data;
  expect(last_run.bytes_freed).toBeGreaterThan(5_000_000);
}, 300_000);

test("a read-only key cannot order a run", async () => {
  expect((await api.call("POST", "/v1/retention/run", { key: api.keys.read })).status).toBe(403);
});
