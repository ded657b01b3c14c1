import { afterAll, beforeAll, expect, test } from "bun:test";
import { insertRecord, openApi, type TestApi } from "./open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi({ retention_days: 90, body_retention_days: 0 });
});
afterAll(() => api[Symbol.asyncDispose]());

test("retention is as configured until an organization says otherwise", async () => {
  const before = await api.call("GET", "/v1/retention");
  expect(before.json.data).toEqual({
    days: null,
    body_days: null,
    properties: [],
    in_force: { days: 90, body_days: 0 },
    configured: { days: 90, body_days: 0 },
    last_run: null,
  });
  const properties = [{ property: "Audit", value: null, days: 0, body_days: null }];
  const body = { days: 30, body_days: 7, properties };
  const { json } = await api.call("PUT", "/v1/retention", { body });
  expect(json.data).toMatchObject({ ...body, in_force: { days: 30, body_days: 7 } });
  expect((await api.call("GET", "/v1/retention", { key: api.keys.other })).json.data).toEqual(before.json.data);
});

test.each([
  ["less than no days", { days: -1 }, "days"],
  ["half a day", { body_days: 0.5 }, "body_days"],
  ["a property without days", { properties: [{ property: "Audit" }] }, "properties.0"],
  ["a property without a name", { properties: [{ days: 5 }] }, "properties.0.property"],
  ["a member that there is not", { day: 5 }, "day"],
])("retention is refused for %s, and the path says where", async (_name, body, path) => {
  const { status, json } = await api.call("PUT", "/v1/retention", { body });
  expect({ status, path: json.path }).toEqual({ status: 400, path });
});

test("storage tells bytes on disk, and records by day of the own organization alone", async () => {
  const today = Date.now();
  const row = { request_created_at: today, size_bytes: 500 };
  await insertRecord(api.store, api.organization, row);
  await insertRecord(api.store, api.organization, row);
  await insertRecord(api.store, api.other, row);
  const { json } = await api.call("GET", "/v1/storage", { key: api.keys.read });
  expect(json.data.packs).toMatchObject({ newest: { packs: expect.any(Number) }, to_erase: 0 });
  expect(json.data.per_day).toEqual([{ day: new Date(today).toISOString().slice(0, 10), records: 2, bytes: 1_000 }]);
  expect(json.data).toMatchObject({ cache_bytes: 300, last_run: null, retention: expect.any(Object) });
  for (const name of ["database_bytes", "bodies_bytes"]) expect(json.data[name]).toBeGreaterThan(0);
  expect(json.data.spool_bytes).toBeGreaterThanOrEqual(0);
  const { parts, stored_bytes, database_bytes, bodies_bytes } = json.data;
  expect(json.data).toMatchObject({ sent_bytes: 1_500, records: 3, records_uncounted: 0 });
  expect(stored_bytes).toBe(database_bytes + bodies_bytes);
  expect(json.data.ratio).toBe(stored_bytes / 1_500);
  expect(json.data.growth_bytes_per_day).toBeGreaterThan(0);
  expect(json.data.days_left).toBe(Math.floor(json.data.disk_free_bytes / json.data.growth_bytes_per_day));
  expect(parts).toMatchObject({ sampled: false, rows_bytes: expect.any(Number), search_bytes: expect.any(Number) });
  expect(Date.parse(parts.measured_at)).toBeGreaterThanOrEqual(today);
});
