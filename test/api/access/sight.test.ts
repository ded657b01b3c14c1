import { afterAll, beforeAll, expect, test } from "bun:test";
import { GROUPS, isField } from "../../../src/filter/fields.ts";
import { isSaid, SAID_MEMBERS } from "../../../src/filter/sight.ts";
import { SORT_KEYS } from "../../../src/filter/sort.ts";
import { createServiceKey } from "../../../src/store/keys.ts";
import { until } from "../../until.ts";
import { insertRecord, openApi, type TestApi } from "../open.ts";

/** Stands in every place of a record that tells what was said. */
const SECRET = "sesame-4711";

let it: TestApi;
let key: string;
let id: string;

beforeAll(async () => {
  it = await openApi();
  const body = (content: object) => ({ form: "json", content: JSON.stringify(content) });
  const said = { input: SECRET, output: SECRET, error_message: SECRET, assets: `["${SECRET}"]` };
  id = await insertRecord(
    it.store,
    it.organization,
    { ...said, prompt_inputs: `{"name":"${SECRET}"}`, model: "m-1", user_id: "u", cost: 0.5, session_id: "s" },
    {
      request: body({ model: "m-1", messages: [{ role: "user", content: SECRET }] }),
      response: body({ choices: [{ message: { role: "assistant", content: SECRET } }] }),
    },
  );
  const order = {
    name: "figures",
    organization: "default",
    scopes: ["figures"],
    region: "us",
    expiresAt: null,
  } as const;
  ({ key } = await createServiceKey(it.store.records, order));
  await until(() => it.published().some(({ name }) => name === "figures"));
});
afterAll(() => it[Symbol.asyncDispose]());

const post = (path: string, body: unknown, as = key) => it.call("POST", path, { key: as, body });

const READERS: readonly (readonly [string, string, unknown])[] = [
  [
    "POST",
    "/v1/request/query-fast",
    { filter: "all", includeBody: true, includeInputs: true, includeProviderBodies: true, includeStoredBytes: true },
  ],
  ["POST", "/v1/request/query", { filter: "all", includeInputs: true }],
  ["POST", "/v1/request/query-ids", { requestIds: ["ID"], includeInputs: true }],
  ["GET", "/v1/request/ID", undefined],
  ["GET", "/v1/request/ID/cost", undefined],
  ["GET", "/v1/request/ID/body", undefined],
  ["GET", "/v1/request/ID/headers", undefined],
  ["GET", `/v1/request/ID/assets/${SECRET.slice(0, 6)}`, undefined],
  ["POST", "/v1/metrics/query", { group_by: ["model", "user", "session"] }],
  ["POST", "/v1/request/facets/query", { facets: ["model", "user"] }],
  ["POST", "/v1/session/query", {}],
  ["POST", "/v1/user/metrics/query", {}],
  ["POST", "/v1/property/query", {}],
  ["POST", "/v1/property/name/search", {}],
];

test.each(READERS)("metrics only: %s %s reveals no bodies", async (method, path, body) => {
  const own = JSON.parse(JSON.stringify(body ?? null).replaceAll("ID", id));
  const options = body === undefined ? {} : { body: own };
  const { json, status } = await it.call(method, path.replace("ID", id), { key, ...options });
  expect(JSON.stringify(json)).not.toContain(SECRET);
  if (status === 200 && method === "POST" && path.includes("/request/query")) {
    expect(json.data).toHaveLength(1);
    expect(json.data[0]).toMatchObject({ request_id: id, model: "m-1", cost: 0.5 });
    expect(SAID_MEMBERS.filter((name) => name in json.data[0])).toEqual([]);
  }
});

test("a key that may see bodies gets all of it", async () => {
  const { json } = await post("/v1/request/query-fast", { filter: "all", includeInputs: true }, it.keys.read);
  const shown = Object.keys(json.data[0]);
  expect(SAID_MEMBERS.filter((name) => !shown.includes(name))).toEqual(["provider_request", "provider_response"]);
});

const VALUES = {
  text: { contains: "x" },
  number: { gte: 0 },
  timestamp: { gte: "2020-01-01" },
  boolean: { equals: true },
  contains: { contains: "x" },
  key: { equals: "x" },
};

const LEAVES = Object.entries(GROUPS).flatMap(([group, fields]) => {
  const entries = isField(fields) ? [["", fields] as const] : Object.entries(fields);
  return entries.map(([name, field]) => {
    const condition = field.named ? { Name: VALUES[field.kind] } : VALUES[field.kind];
    const leaf = name === "" ? { [group]: condition } : { [group]: { [name]: condition } };
    return [`${group}.${name}`, leaf, isSaid(field.source)] as const;
  });
});

/** Named here again, so that a reader decides about every new field. */
const SAID_FIELDS: readonly string[] = [
  ...["request.prompt", "response.body_completion", "request_response_rmt.assets", "request_response_rmt.input"],
  ...[
    "request_response_rmt.output",
    "request_response_rmt.request_body",
    "request_response_rmt.response_body",
    "values.",
  ],
];

test("the fields that read bodies are these", () => {
  expect(LEAVES.flatMap(([name, , said]): string[] => (said ? [name] : [])).sort()).toEqual([...SAID_FIELDS].sort());
});

test.each(["/v1/request/query", "/v1/request/count/query", "/v1/metrics/query", "/v1/session/query"])(
  "metrics only: %s refuses filters on bodies at any depth, and accepts all others",
  async (path) => {
    for (const [name, leaf, said] of LEAVES) {
      const filter = { left: { left: leaf, operator: "or", right: "all" }, operator: "and", right: "all" };
      const { status, json } = await post(path, { filter });
      expect([name, status, json.code]).toEqual([name, said ? 403 : 200, said ? "insufficient_permission" : undefined]);
    }
  },
);

test.each(SORT_KEYS)("metrics only: sorting by %s", async (name) => {
  const sort = { [name]: name === "random" ? true : ["properties", "values"].includes(name) ? { Name: "asc" } : "asc" };
  const { status, json } = await post("/v1/request/query", { filter: "all", sort });
  const isRefused = ["request_prompt", "response_text", "values"].includes(name);
  expect([status, json.code]).toEqual(isRefused ? [403, "insufficient_permission"] : [200, undefined]);
});

test("metrics only: an alert cannot filter on bodies", async () => {
  const scopes = ["figures", "write"] as const;
  const order = { name: "alerting", organization: "default", scopes, region: "us", expiresAt: null };
  const made = await createServiceKey(it.store.records, order);
  await until(() => it.published().some(({ name }) => name === "alerting"));
  const alert = { name: "a", metric: "requests", comparison: "above", threshold: 0, window_seconds: 60 };
  const filter = { request_response_rmt: { request_body: { contains: SECRET } } };
  const { status, json } = await post("/v1/alerts", { ...alert, filter }, made.key);
  expect([status, json.code]).toEqual([403, "insufficient_permission"]);
});

test("metrics only: words are not searched", async () => {
  const { status, json } = await post("/v1/request/query-fast", { filter: "all", search: SECRET });
  expect([status, json.code]).toEqual([403, "insufficient_permission"]);
});
