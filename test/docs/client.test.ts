import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { clientTypes } from "../../build/client.ts";
import {
  createWeirClient,
  type DataOf,
  type OptionsOf,
  type PathOf,
  type RequestRecord,
  type WeirClient,
  WeirError,
} from "../../packages/client/index.js";
import { DATA_OF } from "../../src/api/reference/data-schemas.ts";
import { insertRecord, openApi, type TestApi } from "../api/open.ts";

const FOLDER = join(import.meta.dir, "../../packages/client");

let api: TestApi;
let client: WeirClient;
let description: Parameters<typeof clientTypes>[0];
const ids: string[] = [];

beforeAll(async () => {
  api = await openApi();
  description = (await api.call("GET", "/openapi.json", { key: null })).json;
  client = createWeirClient({ url: `${api.origin}/`, key: api.keys.all });
  const body = { form: "json" as const, content: JSON.stringify({ model: "m-1", messages: [] }) };
  for (let at = 0; at < 5; at++) {
    const columns = {
      ...{ user_id: at < 3 ? "ada" : "bob", model: "m-1", provider: "OPENAI", response_status: 200, cost: 0.5 },
      ...{ session_id: "s", session_name: "trip", request_created_at: 1_790_000_000_000 + at * 1_000 },
    };
    ids.push(await insertRecord(api.store, api.organization, columns, { request: body, response: body }));
  }
});
afterAll(() => api[Symbol.asyncDispose]());

test("the types are what build/client.ts writes: run `bun build/client.ts`", () => {
  expect(readFileSync(join(FOLDER, "api.d.ts"), "utf8")).toBe(clientTypes(description));
});

test("the package holds every file that it names, and needs no other", () => {
  const manifest = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
  expect([manifest.name, manifest.license, manifest.dependencies]).toEqual(["weir-client", "MIT", undefined]);
  for (const file of manifest.files) expect(readFileSync(join(FOLDER, file), "utf8").length).toBeGreaterThan(0);
});

describe("an endpoint's response fits its description:", () => {
  const QUERY = { filter: "all" };
  /** What has to be there first, and gives the ids that stand in addresses. */
  const made = {
    request: async () => ids[0]!,
    view: async () =>
      (await client.POST("/v1/views", { body: { name: "v", filter: "all", sort: { cost: "desc" } } })).id,
    dashboard: async () => "spend",
    dataset: async () => {
      const { id } = await client.POST("/v1/datasets", { body: { name: "d" } });
      await client.POST("/v1/datasets/{id}/items", { path: { id }, body: { requestIds: [ids[0]!] } });
      return id;
    },
    alert: async () => {
      const body = { name: "a", metric: "cost", comparison: "above", threshold: 1, window_seconds: 60 };
      return (await client.POST("/v1/alerts", { body })).id;
    },
    webhook: async () => {
      const { json } = await api.call("POST", "/v1/webhooks", { body: { url: "https://hooks.example.com/x" } });
      return json.data.id as string;
    },
    comment: async () => {
      await client.POST("/v1/request/{id}/comments", { path: { id: ids[0]! }, body: { text: "hello" } });
      return ids[0]!;
    },
    key: async () => (await client.GET("/v1/keys"))[0]!.id,
    session: async () => "s",
    property: async () => "Team",
  };

  const BODIES: Readonly<Record<string, unknown>> = {
    "POST /v1/request/query-ids": () => ({ requestIds: ids, includeInputs: true, includeStoredBytes: true }),
    "POST /v1/request/facets/query": { facets: ["model", "user"] },
    "POST /v1/metrics/query": { ...QUERY, group_by: ["model"], time_bucket: "day", speeds: true, scores: ["helpful"] },
    "POST /v1/property/query": {},
    "POST /v1/property/:name/search": {},
    "POST /v1/views": { name: "another", columns: [{ id: "model", width: 3 }] },
    "POST /v1/dashboards": { name: "b", panels: [{ title: "c", kind: "number", metrics: ["cost"] }] },
    "POST /v1/datasets": { name: "another" },
    "POST /v1/alerts": {
      ...{ name: "b", metric: "cost", comparison: "above", threshold: 1, window_seconds: 60 },
      channels: [{ type: "webhook", url: "https://hooks.example.com/y" }],
    },
    "PATCH /v1/keys/:id": { user_id: null },
    "PATCH /v1/views/:id": { range: "24h" },
    "PUT /v1/dashboards/:id": { name: "c", panels: [] },
  };

  const idFor = async (name: string): Promise<string> => {
    if (name === "PUT /v1/dashboards/:id")
      return (await client.POST("/v1/dashboards", { body: { name, panels: [] } })).id;
    const noun = /^[A-Z]+ \/v1\/([a-z]+?)s?\//.exec(name)![1] as keyof typeof made;
    const kind = name.endsWith("/comments") ? "comment" : noun;
    known[kind] ??= await made[kind]();
    return known[kind];
  };
  const known: Record<string, string> = {};

  test.each(Object.keys(DATA_OF))("%s", async (name) => {
    const [method, path] = name.split(" ") as [string, string];
    const id = path.includes(":") ? await idFor(name) : "";
    const body = BODIES[name] ?? (method === "POST" ? QUERY : undefined);
    const sent = typeof body === "function" ? body() : body;
    const { status, json } = await api.call(method, path.replace(/:\w+/, id), sent === undefined ? {} : { body: sent });
    expect([status, json.message]).toEqual([200, undefined]);
    const operation = description.paths[path.replace(/:(\w+)/g, "{$1}")]![method.toLowerCase()]!;
    const { content } = operation.responses["200"] as { content: { "application/json": { schema: object } } };
    const schema = { ...content["application/json"].schema, components: closed(description.components) };
    const { valid, errors } = new Validator(schema, "2020-12").validate(json);
    const wrong = errors.map(({ error, instanceLocation }) => `${instanceLocation}: ${error}`).at(-1);
    // Another member, or another type: say so in src/api/reference/data-schemas.ts, then run `bun build/client.ts`.
    expect({ valid, wrong }).toEqual({ valid: true, wrong: undefined });
  });
});

/** The same schemas, where a member that they do not name is wrong. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]));
  const isOpen = inner["type"] !== "object" || inner["properties"] === undefined || "additionalProperties" in inner;
  return isOpen || "patternProperties" in inner ? inner : { ...inner, additionalProperties: false };
}

describe("the client", () => {
  test("fills in addresses and queries, and returns the data alone", async () => {
    const [id] = ids as [string];
    expect((await client.GET("/v1/request/{id}", { path: { id } })).request_id).toBe(id);
    expect(await client.POST("/v1/request/count/query", { body: { filter: "all" } })).toBe(5);
    const rows = await client.POST("/v1/metrics/query", { body: { group_by: ["user"] } });
    expect(rows.map((row) => [row["user"], row.requests, row.cost])).toEqual([
      ["ada", 3, 1.5],
      ["bob", 2, 1],
    ]);
    expect(await client.GET("/v1/audit", { query: { limit: 1 } })).toHaveLength(1);
  });

  test("goes through all records, page after page, and ends where it is left", async () => {
    const seen: string[] = [];
    for await (const { request_id, request_body } of client.records({ pageSize: 2, includeBody: false })) {
      expect(request_body).toBeUndefined();
      seen.push(request_id);
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const filter = { request_response_rmt: { user_id: { equals: "bob" } } };
    for await (const { request_user_id } of client.records({ filter, pageSize: 1 })) {
      expect(request_user_id).toBe("bob");
      break;
    }
  });

  test("throws the API's error", async () => {
    const filter = { request_response_rmt: { modle: { equals: "x" } } };
    const wrong = client.POST("/v1/request/query", { body: { filter } });
    const error = await wrong.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(WeirError);
    expect(error).toMatchObject({ status: 400, code: "filter_invalid", path: "filter.request_response_rmt.modle" });
    const stranger = createWeirClient({ url: api.origin, key: "sk-weir-none" });
    await expect(stranger.GET("/v1/me")).rejects.toMatchObject({ status: 401 });
    const strange = createWeirClient({
      url: api.origin,
      key: "x",
      fetch: async () => new Response("<html>", { status: 502 }),
    });
    await expect(strange.GET("/v1/me")).rejects.toMatchObject({ status: 502, code: "unknown" });
  });

  test("returns non-JSON as it is, and members besides the data", async () => {
    expect(await (await client.raw("/metrics")).text()).toContain("weir_");
    const page = await client.envelope("POST", "/v1/request/query", { body: { filter: "all", limit: 2 } });
    expect([page.data.length, typeof page.next_cursor]).toEqual([2, "string"]);
  });

  test("runs the example of docs/client.md", async () => {
    const page = readFileSync(join(FOLDER, "../../docs/client.md"), "utf8");
    const calls = /^const rows[\s\S]*?(?=^```$)/m.exec(page)?.[0];
    const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => {}).constructor;
    const { rows, record } = await new AsyncFunction("weir", `${calls} return { rows, record };`)(client);
    expect([rows.length > 0, typeof record.request_id]).toEqual([true, "string"]);
  });

  test("refuses what cannot work before it asks", async () => {
    expect(() => createWeirClient({ url: "127.0.0.1:8788", key: "k" })).toThrow(/url: give the address/);
    expect(() => createWeirClient({ url: api.origin, key: "" })).toThrow(/key: give a service key/);
    await expect(client.GET("/v1/request/{id}", { path: {} as { id: string } })).rejects.toThrow(/path.id/);
  });

  test("is typed by the description", () => {
    // Read by the compiler: a type that is not as it says makes an element `false`, which `true` does not fit.
    const facts: readonly [
      Same<DataOf<"POST", "/v1/request/count/query">, number>,
      Same<DataOf<"GET", "/v1/alerts">[number]["threshold"], number>,
      Same<DataOf<"GET", "/v1/request/{id}">, RequestRecord>,
      Same<OptionsOf<"GET", "/v1/views/{id}">["path"], { readonly id: string }>,
      Same<OptionsOf<"GET", "/v1/audit">["query"] extends { readonly limit?: number } | undefined ? 1 : 0, 1>,
      Same<OptionsOf<"POST", "/v1/views">["body"]["name"], string>,
      Same<OptionsOf<"POST", "/v1/dashboards">["body"]["panels"][number]["kind"], PanelKind>,
      // Nothing may be left out that is required, and nothing given that is not there.
      Same<object extends OptionsOf<"POST", "/v1/views"> ? 1 : 0, 0>,
      Same<"nmae" extends keyof OptionsOf<"POST", "/v1/views">["body"] ? 1 : 0, 0>,
      Same<Extract<PathOf<"GET">, "/v1/metrics/query" | "/v1/reqest">, never>,
      Same<Extract<PathOf<"POST">, "/v1/metrics/query">, "/v1/metrics/query">,
    ] = [true, true, true, true, true, true, true, true, true, true, true];
    expect(facts).not.toContain(false as never);
  });
});

type PanelKind = "line" | "bar" | "number" | "table" | "heatmap";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
