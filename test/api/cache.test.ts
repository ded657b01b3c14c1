import { expect, test } from "bun:test";
import { insertRecord, openApi, type RecordRow } from "./open.ts";

test("GET /v1/cache counts hits, misses and savings of the caller's organization only", async () => {
  await using api = await openApi();
  const { store, organization, other } = api;
  const lookedUp = { cache_enabled: 1, outcome: "complete" };
  const source = await insertRecord(store, organization, { ...lookedUp, cost: 0.25, total_tokens: 30 });
  for (let hit = 0; hit < 3; hit++)
    await insertRecord(store, organization, { ...lookedUp, cached: 1, cost: 0, cache_reference_id: source });
  await insertRecord(store, organization, { cost: 9, outcome: "complete" });
  await insertRecord(store, organization, { ...lookedUp, outcome: null });
  await insertRecord(store, organization, { ...lookedUp, outcome: "refused" });
  await insertRecord(store, other, lookedUp);
  const { status, json } = await api.call("GET", "/v1/cache", { key: api.keys.read });
  expect(status).toBe(200);
  expect(json.data).toEqual({
    hits: 3,
    misses: 1,
    saved_cost: 0.75,
    saved_tokens: 90,
    hit_rate: 0.75,
    entries: 2,
    bytes: 300,
    max_bytes: 1_000,
  });
  expect((await api.call("GET", "/v1/cache", { key: api.keys.other })).json.data).toMatchObject({ hits: 0, misses: 1 });
});

test("what the cache did is shown by time, for any filter", async () => {
  await using api = await openApi();
  const { store, organization, other } = api;
  const day = Date.UTC(2026, 0, 2);
  const at = (hours: number, row: RecordRow = {}) =>
    insertRecord(store, organization, {
      cache_enabled: 1,
      outcome: "complete",
      model: "m-1",
      request_created_at: day + hours * 3_600_000,
      ...row,
    });
  const source = await at(0, { cost: 0.5, total_tokens: 10 });
  const foreign = await insertRecord(store, other, { cost: 100, total_tokens: 100 });
  await at(1, { cached: 1, cache_reference_id: source });
  await at(1, { cached: 1, cache_reference_id: foreign });
  await at(30, { cached: 1, cache_reference_id: source });
  await at(30, { cached: 1, cache_reference_id: source, model: "m-2" });
  await at(30, { outcome: "refused" });
  await at(60, { cache_enabled: 0 });
  const ask = async (body: unknown) => (await api.call("POST", "/v1/cache/metrics/query", { body })).json.data;
  expect(await ask({ time_bucket: "day" })).toEqual([
    { time: "2026-01-02T00:00:00.000Z", hits: 2, misses: 1, saved_cost: 0.5, saved_tokens: 10 },
    { time: "2026-01-03T00:00:00.000Z", hits: 2, misses: 0, saved_cost: 1, saved_tokens: 20 },
  ]);
  const filter = { request_response_rmt: { model: { equals: "m-2" } } };
  expect(await ask({ time_bucket: "hour", filter })).toEqual([
    { time: "2026-01-03T06:00:00.000Z", hits: 1, misses: 0, saved_cost: 0.5, saved_tokens: 10 },
  ]);
  const wrong = await api.call("POST", "/v1/cache/metrics/query", { body: { time_bucket: "week" } });
  expect([wrong.status, wrong.json.path]).toEqual([400, "time_bucket"]);
});

test("over no requests there is no hit rate", async () => {
  await using api = await openApi();
  const { json } = await api.call("GET", "/v1/cache");
  expect(json.data).toMatchObject({ hits: 0, misses: 0, hit_rate: null, saved_cost: 0, saved_tokens: 0 });
});

const KEY = "0123456789abcdef".repeat(4);

test.each([
  ["everything", undefined, {}],
  ["everything, said with an empty object", {}, {}],
  ["one key", { key: KEY }, { key: KEY }],
  ["a model", { model: "m-1" }, { model: "m-1" }],
  ["the response of a request", { request_id: "ABC" }, { requestId: "abc" }],
  ["a property", { property: { name: "App" } }, { property: { name: "App" } }],
  [
    "a model and a property's value",
    { model: "m", property: { name: "App", value: "x" } },
    { model: "m", property: { name: "App", value: "x" } },
  ],
])("DELETE /v1/cache removes %s", async (_name, body, purge) => {
  await using api = await openApi();
  const response = await api.call("DELETE", "/v1/cache", { key: api.keys.admin, ...(body !== undefined && { body }) });
  expect(response.json).toEqual({ data: 1, error: null });
  expect(api.purges).toEqual([[api.organization, purge]]);
});

test.each([
  ["an unknown member", { modell: "m" }],
  ["a key that is none", { key: "abc" }],
  ["an empty model", { model: "" }],
  ["a property without a name", { property: { value: "x" } }],
  ["a list", []],
  ["a word", "gpt-4o"],
  ["a number", 0],
  ["null", null],
])("DELETE /v1/cache refuses %s", async (_name, body) => {
  await using api = await openApi();
  expect((await api.call("DELETE", "/v1/cache", { body })).status).toBe(400);
  expect(api.purges).toEqual([]);
});

test.each([
  ["GET", "/v1/cache", "gateway"],
  ["POST", "/v1/cache/metrics/query", "write"],
  ["GET", "/v1/cache/entries", "write"],
  ["DELETE", "/v1/cache", "write"],
] as const)("%s %s is not for a key with the scope %s", async (method, path, scope) => {
  await using api = await openApi();
  expect((await api.call(method, path, { key: api.keys[scope] })).status).toBe(403);
});

test.each(["limit=1001", "limit=x", "offset=-1"])("GET /v1/cache/entries refuses ?%s", async (query) => {
  await using api = await openApi();
  expect((await api.call("GET", `/v1/cache/entries?${query}`)).status).toBe(400);
});
