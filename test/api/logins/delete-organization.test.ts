import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { verifyAudit } from "../../../src/store/audit/verify.ts";
import { createServiceKey } from "../../../src/store/keys.ts";
import { until } from "../../until.ts";
import { insertRecord, openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const remove = (id: string, body: object, key?: string) =>
  it.call("DELETE", `/v1/organizations/${id}`, { body, ...(key !== undefined && { key }) });

test("deleting asks for the name, is for operators, and leaves the first organization", async () => {
  expect((await remove(it.other, { name: "othr" })).json).toMatchObject({ error: 400, path: "name" });
  expect((await remove(it.other, { name: "other" }, it.keys.other)).status).toBe(403);
  expect((await remove("none", { name: "other" })).status).toBe(404);
  expect((await remove(it.organization, { name: "default" })).status).toBe(400);
  expect((await it.call("GET", "/v1/keys", { key: it.keys.other })).status).toBe(200);
});

test("its records are exported first on request, and an import restores them", async () => {
  const order = { name: "short-lived", organization: "short-lived", scopes: ["admin"], region: "us", expiresAt: null };
  const { key } = await createServiceKey(it.store.records, order as never);
  await until(() => it.published().some(({ name }) => name === "short-lived"));
  const lines = [0, 1, 2].map((n) =>
    JSON.stringify({
      ...{ request_id: randomUUID(), request_created_at: "2026-02-01T00:00:00Z", response_status: 200, cost: n },
      ...{ request_path: "/v1/chat/completions", properties: { Team: `t${n}` } },
      request_body: { model: "m", messages: [{ role: "user", content: `question ${n}` }] },
      response_body: { object: "chat.completion", choices: [{ message: { role: "assistant", content: "a" } }] },
    }),
  );
  const headers = { "Content-Type": "application/x-ndjson" };
  await it.call("POST", "/v1/import", { key, body: lines.join("\n"), headers });
  const { json: before } = await it.call("POST", "/v1/request/query", {
    key,
    body: { filter: "all", sort: { cost: "asc" } },
  });
  expect(before.data).toHaveLength(3);
  const { json: all } = await it.call("GET", "/v1/organizations");
  const { id } = all.data.find(({ name }: { name: string }) => name === "short-lived");
  const { json } = await remove(id, { name: "short-lived", export: true });
  const exported = join(it.config.data_dir, "exports", `${id}.jsonl`);
  expect(json.data).toMatchObject({ removed: 3, remaining: 0, done: true, exported });
  expect(statSync(exported).mode & 0o777).toBe(0o600);
  const text = readFileSync(exported, "utf8");
  expect(text).not.toContain("signature=");
  const back = await it.call("POST", "/v1/import", { key: it.keys.all, body: text, headers });
  expect(back.json.data).toMatchObject({ imported: 3 });
  const filter = { request_response_rmt: { properties: { Team: { like: "t%" } } } };
  const { json: after } = await it.call("POST", "/v1/request/query", { body: { filter, sort: { cost: "asc" } } });
  const said = (records: readonly Json[]) =>
    records.map(({ request_id, cost, request_body, response_body }) => ({
      request_id,
      cost,
      request_body,
      response_body,
    }));
  expect(said(after.data)).toEqual(said(before.data));
});

test("its keys stop, its records and settings go, everybody else's stay, and the log tells of it", async () => {
  for (let n = 0; n < 1_100; n++) await insertRecord(it.store, it.other, { user_id: `${n}` });
  const kept = await insertRecord(it.store, it.organization, {});
  await it.call("PUT", "/v1/retention", { key: it.keys.other, body: { days: 3 } });
  let removed = 0;
  for (let isDone = false; !isDone; ) {
    const { status, json } = await remove(it.other, { name: "other" });
    expect(status).toBe(200);
    removed += json.data.removed;
    isDone = json.data.done;
  }
  expect(removed).toBe(1_100);
  expect((await it.call("GET", "/v1/me", { key: it.keys.other })).status).toBe(401);
  for (const table of ["requests", "keys", "members", "retention"]) {
    const sql = `select count(*) as n from ${table} where organization_id = ?`;
    expect([table, await it.store.records.query<object>({ sql, args: [it.other] })]).toEqual([table, [{ n: 0 }]]);
  }
  expect((await it.call("GET", `/v1/request/${kept}`)).status).toBe(200);
  const { json } = await it.call("GET", `/v1/audit?organization=${it.other}&limit=1000`);
  const actions = json.data.map(({ action }: { action: string }) => action);
  for (const action of ["organization.removed", "records.deleted", "key.revoked"]) expect(actions).toContain(action);
  expect(await verifyAudit(it.store.records)).toMatchObject({ broken: null });
}, 300_000);
