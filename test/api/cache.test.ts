import { expect, test } from "bun:test";
import { insertRecord, openApi } from "./open.ts";

test("GET /v1/cache counts hits, misses and what they saved, of the caller's organization alone", async () => {
  await using api = await openApi();
  const { store, organization, other } = api;
  const asked = { cache_enabled: 1, outcome: "complete" };
  const source = await insertRecord(store, organization, { ...asked, cost: 0.25, total_tokens: 30 });
  for (let hit = 0; hit < 3; hit++)
    await insertRecord(store, organization, { ...asked, cached: 1, cost: 0, cache_reference_id: source });
  await insertRecord(store, organization, { cost: 9, outcome: "complete" });
  await insertRecord(store, organization, { ...asked, outcome: null });
  await insertRecord(store, organization, { ...asked, outcome: "refused" });
  await insertRecord(store, other, asked);
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
  ["the answer of a request", { request_id: "ABC" }, { requestId: "abc" }],
  ["a property", { property: { name: "App" } }, { property: { name: "App" } }],
  [
    "a model and a property's value",
    { model: "m", property: { name: "App", value: "x" } },
    { model: "m", property: { name: "App", value: "x" } },
  ],
])("DELETE /v1/cache removes %s", async (_name, body, purge) => {
  await using api = await openApi();
  const answer = await api.call("DELETE", "/v1/cache", { key: api.keys.admin, ...(body !== undefined && { body }) });
  expect(answer.json).toEqual({ data: 1, error: null });
  expect(api.purges).toEqual([[api.organization, purge]]);
});

test.each([
  ["an unknown member", { modell: "m" }],
  ["a key that is none", { key: "abc" }],
  ["an empty model", { model: "" }],
  ["a property without a name", { property: { value: "x" } }],
])("DELETE /v1/cache refuses %s", async (_name, body) => {
  await using api = await openApi();
  expect((await api.call("DELETE", "/v1/cache", { body })).status).toBe(400);
  expect(api.purges).toEqual([]);
});

test.each([
  ["GET", "/v1/cache", "gateway"],
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
