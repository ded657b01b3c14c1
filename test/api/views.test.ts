import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openApi, type TestApi } from "./open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const TERMS = {
  filter: { request_response_rmt: { status: { gte: 400 } } },
  search: "late train",
  sort: { cost: "desc" },
  range: "24h",
  columns: [{ id: "time" }, { id: "property:Team", width: 240 }],
};

const post = (body: object, key = api.keys.all) => api.call("POST", "/v1/views", { body, key });
const namesFor = async (key: string) =>
  (await api.call("GET", "/v1/views", { key })).json.data.map(({ name }: { name: string }) => name);

async function saved(body: object, key = api.keys.all) {
  const { status, json } = await post(body, key);
  expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
  return json.data;
}

describe("a view", () => {
  test("is returned as it was saved, with null for missing members", async () => {
    const made = await saved({ name: " Failures ", ...TERMS });
    expect(made).toMatchObject({ name: "Failures", shared: false, own: true, owner: "all", from: null, to: null });
    expect(made).toMatchObject(TERMS);
    expect((await api.call("GET", `/v1/views/${made.id}`)).json.data).toEqual(made);
    const least = await saved({ name: "Least" });
    expect(least).toMatchObject({ filter: null, search: null, sort: null, range: null, columns: null });
  });

  test("is its owner's alone until it is shared, then the organization's, never another's", async () => {
    const { id } = await saved({ name: "Mine" }, api.keys.all);
    expect(await namesFor(api.keys.all)).toContain("Mine");
    for (const key of [api.keys.read, api.keys.admin, api.keys.other]) {
      expect(await namesFor(key)).not.toContain("Mine");
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const { status } = await api.call(method, `/v1/views/${id}`, { key, ...(method === "PATCH" && { body: {} }) });
        expect([method, status]).toEqual([method, 404]);
      }
    }
    await api.call("PATCH", `/v1/views/${id}`, { key: api.keys.all, body: { shared: true } });
    expect(await namesFor(api.keys.read)).toContain("Mine");
    expect(await namesFor(api.keys.other)).not.toContain("Mine");
    const { json } = await api.call("GET", `/v1/views/${id}`, { key: api.keys.read });
    expect(json.data).toMatchObject({ own: false, owner: "all", shared: true });
  });

  test("that is shared is changed and removed by its owner and by admins, not by others", async () => {
    const { id } = await saved({ name: "Ours", shared: true }, api.keys.all);
    const change = (key: string, body: object) => api.call("PATCH", `/v1/views/${id}`, { key, body });
    const refused = await change(api.keys.read, { name: "Taken over" });
    expect([refused.status, refused.json.code]).toEqual([403, "insufficient_permission"]);
    expect((await api.call("DELETE", `/v1/views/${id}`, { key: api.keys.read })).status).toBe(403);
    expect((await change(api.keys.admin, { name: "Renamed" })).json.data).toMatchObject({
      name: "Renamed",
      own: false,
    });
    expect((await api.call("DELETE", `/v1/views/${id}`, { key: api.keys.admin })).status).toBe(200);
    expect((await api.call("GET", `/v1/views/${id}`, { key: api.keys.all })).status).toBe(404);
  });

  test("of one's own needs read, sharing it needs write", async () => {
    const own = await saved({ name: "Reader's" }, api.keys.read);
    expect((await post({ name: "For all", shared: true }, api.keys.read)).status).toBe(403);
    const { status, json } = await api.call("PATCH", `/v1/views/${own.id}`, {
      key: api.keys.read,
      body: { shared: true },
    });
    expect([status, json.code, json.path]).toEqual([403, "insufficient_permission", "shared"]);
    expect((await post({ name: "x" }, api.keys.gateway)).status).toBe(403);
  });

  test("keeps what a change does not name; null resets, and a range replaces moments", async () => {
    const { id } = await saved({ name: "Changing", ...TERMS });
    const change = async (body: object) => (await api.call("PATCH", `/v1/views/${id}`, { body })).json.data;
    expect(await change({ filter: null, columns: null })).toMatchObject({
      ...{ name: "Changing", filter: null, columns: null },
      ...{ search: TERMS.search, sort: TERMS.sort, range: "24h" },
    });
    const from = "2026-11-01T00:00:00.000Z";
    expect(await change({ from })).toMatchObject({ range: null, from, to: null });
    for (const range of ["yesterday", "last-week"])
      expect(await change({ range })).toMatchObject({ range, from: null, to: null });
  });

  test("has a name that no other view of its owner has", async () => {
    await saved({ name: "Once" }, api.keys.all);
    await saved({ name: "Once" }, api.keys.read);
    const { status, json } = await post({ name: "Once " }, api.keys.all);
    expect([status, json.code, json.path]).toEqual([409, "duplicate_name", "name"]);
  });
});

test.each([
  ["no name", {}, "invalid_body", "name"],
  ["a blank name", { name: "  " }, "invalid_body", "name"],
  ["a name that is too long", { name: "x".repeat(101) }, "invalid_body", "name"],
  ["a member that there is not", { name: "a", colums: [] }, "invalid_body", "colums"],
  [
    "a filter field that there is not",
    { name: "a", filter: { request_response_rmt: { modl: { equals: "x" } } } },
    "filter_invalid",
    "filter.request_response_rmt.modl",
  ],
  ["an order that there is not", { name: "a", sort: { costs: "desc" } }, "sort_invalid", "sort.costs"],
  ["a range that is no span", { name: "a", range: "tomorrow" }, "invalid_body", "range"],
  ["a range together with a moment", { name: "a", range: "1h", from: "2026-01-01" }, "invalid_body", "range"],
  ["a moment that is no time", { name: "a", from: "soon" }, "invalid_body", "from"],
  ["a column without an id", { name: "a", columns: [{ width: 20 }] }, "invalid_body", "columns.0.id"],
  [
    "too many columns",
    { name: "a", columns: Array.from({ length: 61 }, (_, at) => ({ id: `property:${at}` })) },
    "invalid_body",
    "columns",
  ],
  [
    "a filter that is too long",
    { name: "a", filter: { request_response_rmt: { model: { equals: "x".repeat(70_000) } } } },
    "invalid_body",
    "filter",
  ],
])("a view with %s is refused at its member", async (_what, body, code, path) => {
  const { status, json } = await post(body);
  expect([status, json.code, json.path]).toEqual([400, code, path]);
});
