import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifyAudit } from "../../../src/store/audit/verify.ts";
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
}, 120_000);
