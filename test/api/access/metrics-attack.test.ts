import { afterAll, beforeAll, expect, test } from "bun:test";
import { NEEDS } from "../../../src/api/access/needs.ts";
import { GROUPS } from "../../../src/filter/group-by.ts";
import { SAID_MEMBERS } from "../../../src/filter/sight.ts";
import type { Scope } from "../../../src/people/permissions.ts";
import { statementOf } from "../../../src/store/database/builder.ts";
import { createServiceKey } from "../../../src/store/keys.ts";
import { membership } from "../../../src/store/people/members.ts";
import { until } from "../../until.ts";
import { insertRecord, openApi, type TestApi } from "../open.ts";
import { person } from "../person.ts";

/** Stands in every place of a record, and beside it, that tells what was said. */
const SECRET = "sesame4711";
const PASSWORD = "correct horse battery";

let it: TestApi;
let id: string;
let link: string;
let comment: string;
/** Headers of everybody who has `figures` and not `bodies`. */
let callers: readonly (readonly [name: string, headers: Readonly<Record<string, string>>])[];

beforeAll(async () => {
  it = await openApi();
  const body = (content: object) => ({ form: "json" as const, content: JSON.stringify(content) });
  const said = { input: SECRET, output: SECRET, error_message: SECRET, assets: `["${SECRET}"]` };
  id = await insertRecord(
    it.store,
    it.organization,
    {
      ...said,
      prompt_inputs: `{"name":"${SECRET}"}`,
      model: "m-1",
      user_id: "u",
      cost: 0.5,
      session_id: "s",
      prompt_id: "p",
    },
    {
      request: body({ model: "m-1", messages: [{ role: "user", content: SECRET }] }),
      response: body({ choices: [{ message: { role: "assistant", content: SECRET } }] }),
      provider_request: body({ messages: [{ role: "user", content: SECRET }] }),
      provider_response: body({ choices: [{ message: { content: SECRET } }] }),
    },
  );
  comment = (await it.call("POST", `/v1/request/${id}/comments`, { body: { text: SECRET } })).json.data.id;
  link = (await it.call("POST", "/v1/shared-links", { body: { request_id: id } })).json.data.id;
  const named = async (scopes: readonly Scope[]) => {
    const order = {
      name: `figures ${scopes.join(" ")}`,
      organization: "default",
      scopes: [...scopes],
      region: "us",
      expiresAt: null,
    };
    const { key } = await createServiceKey(it.store.records, order);
    await until(() => it.published().some(({ name }) => name === order.name));
    return [order.name, { authorization: `Bearer ${key}` }] as const;
  };
  callers = [
    await named(["figures", "write", "gateway"]),
    ["a viewer", { cookie: await viewer(), origin: it.origin, "sec-fetch-site": "same-origin" }],
  ];
});
afterAll(() => it[Symbol.asyncDispose]());

async function viewer(): Promise<string> {
  const { records } = it.store;
  const user = await person(records, { email: "vi@example.com", name: "Vi", password: PASSWORD });
  await records.batch([
    statementOf(membership(records, user.id, { organizationId: it.organization, role: "viewer", source: "weir" })),
  ]);
  const response = await fetch(`${it.origin}/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: it.origin, "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ email: "vi@example.com", password: PASSWORD }),
  });
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

const INCLUDED = { includeBody: true, includeInputs: true, includeProviderBodies: true, includeStoredBytes: true };
const LEAF = (value: object) => ({ request_response_rmt: value });

/** What a curious caller sends: everything that can be requested, and everything that could reveal it by its count or its error. */
const BODIES: readonly unknown[] = [
  {},
  { filter: "all" },
  { filter: "all", ...INCLUDED },
  { filter: "all", ...INCLUDED, partial: true },
  { filter: "all", includeInputs: true, limit: 5 },
  { filter: LEAF({ input: { contains: "sesame" } }) },
  { filter: LEAF({ output: { contains: "sesame" } }) },
  { filter: LEAF({ request_body: { contains: "sesame" } }) },
  { filter: LEAF({ response_body: { contains: "sesame" } }) },
  { filter: { values: { name: { equals: SECRET.slice(0, 6) } } } },
  { filter: "all", sort: { request_prompt: "asc" } },
  { filter: "all", sort: { values: { name: "asc" } } },
  { filter: "all", search: "sesame" },
  { requestIds: ["ID"], ...INCLUDED },
  { requestIds: ["ID"], properties: { seen: "yes" } },
  { requestIds: ["ID"], scores: { seen: 1 } },
  { filter: LEAF({ request_body: { contains: "sesame" } }), properties: { seen: "yes" } },
  { filter: LEAF({ request_body: { contains: "sesame" } }), scores: { seen: 1 } },
  { filter: "all", group_by: Object.keys(GROUPS).slice(0, 5) },
  { filter: "all", group_by: ["property:name"] },
  { filter: "all", facets: ["property:name", "prompt", "error_code"] },
  { filter: "all", time_bucket: "day" },
  { search: "ses" },
  { name: "view", filter: LEAF({ request_body: { contains: "sesame" } }), search: "sesame", columns: ["input"] },
  { request_id: "ID" },
  { session_id: "s" },
  { rating: true },
  { seen: "yes" },
  { text: "hello" },
];

const QUERIES = ["", "?part=request", "?part=response&raw=true", "?signature=00&expires=99999999999"];

function addressOf(name: string): string {
  return name
    .slice(name.indexOf(" ") + 1)
    .replace("/v1/shared-links/:id", `/v1/shared-links/${link}`)
    .replace("/v1/session/:id", "/v1/session/s")
    .replace(":comment", comment)
    .replace(":asset", SECRET.slice(0, 6))
    .replace(":token", "x".repeat(43))
    .replace("/v1/request/:id", `/v1/request/${id}`)
    .replace(/:(id|name|model)/g, (_all, place) => (place === "model" ? "m-1" : "name"));
}

/** Those that would end the run or the caller, and those whose thread is not there. */
const LEFT_OUT = [
  "DELETE /v1/session",
  "DELETE /v1/request",
  "DELETE /v1/request/:id/comments/:comment",
  "DELETE /v1/shared-links/:id",
];
const ENDPOINTS = Object.keys(NEEDS).filter((name) => !LEFT_OUT.includes(name) && !name.includes("/playground/"));

test.each(ENDPOINTS)("metrics only: no form of %s reveals bodies", async (name) => {
  const [method] = name.split(" ") as [string];
  const hasBody = method !== "GET";
  for (const [who, headers] of callers) {
    for (const query of hasBody ? BODIES : QUERIES) {
      const path = addressOf(name) + (hasBody ? "" : String(query));
      const response = await fetch(it.origin + path, {
        method,
        headers: { ...headers, ...(hasBody && { "content-type": "application/json" }) },
        ...(hasBody && { body: JSON.stringify(query).replaceAll("ID", id) }),
      });
      const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
      const isRevealed = reveals(text, hasBody ? JSON.stringify(query) : path);
      expect([name, who, query, response.status, isRevealed]).toEqual([name, who, query, response.status, false]);
    }
  }
});

test("the same queries reveal bodies to a key that may see them", async () => {
  for (const path of [
    "/v1/request/query",
    `/v1/request/${id}`,
    `/v1/request/${id}/body`,
    `/v1/request/${id}/comments`,
  ]) {
    const isQuery = path.endsWith("query");
    const options = { key: it.keys.read, ...(isQuery && { body: { filter: "all", ...INCLUDED } }) };
    const { json } = await it.call(isQuery ? "POST" : "GET", path, options);
    expect([path, reveals(JSON.stringify(json), "")]).toEqual([path, true]);
  }
});

/** Whether a response has the secret, or a member that holds what was said; what the caller wrote may be repeated. */
function reveals(text: string, query: string): boolean {
  if (text.includes(SECRET)) return true;
  const members = SAID_MEMBERS.filter((member) => text.includes(`"${member}":`) && !query.includes(member));
  return members.length > 0 && /"request_id":/.test(text) && text.includes(id);
}

test("metrics only: a filter on bodies neither counts nor changes anything", async () => {
  const [, headers] = callers[0]!;
  const filter = LEAF({ request_body: { contains: "sesame" } });
  for (const [method, path, more] of [
    ["PUT", "/v1/request/property", { properties: { found: "yes" } }],
    ["POST", "/v1/request/score", { scores: { found: 1 } }],
    ["DELETE", "/v1/request", {}],
  ] as const) {
    const { status, json } = await it.call(method, path, { key: null, headers, body: { filter, ...more } });
    expect([path, status, json.code]).toEqual([path, 403, "insufficient_permission"]);
  }
});

test("metrics only: an export has no bodies, in any format", async () => {
  const [, headers] = callers[0]!;
  const { json } = await it.call("POST", "/v1/request/query-fast", {
    key: null,
    headers: { ...headers, "gateway-export": "export-figures" },
    body: { filter: "all", ...INCLUDED, sort: { created_at: "asc" } },
  });
  expect(json.data).toHaveLength(1);
  expect(SAID_MEMBERS.filter((member) => member in json.data[0])).toEqual([]);
});

test("metrics only: another caller's signed URL is not extended, and another record's signature opens nothing", async () => {
  const own = (await it.call("GET", `/v1/request/${id}`)).json.data;
  const address = new URL(own.signed_body_url);
  const other = await insertRecord(it.store, it.organization, {});
  address.pathname = address.pathname.replace(id, other);
  const [, headers] = callers[0]!;
  for (const changed of [address.href, own.signed_body_url.replace(/expires=\d+/, "expires=99999999999")]) {
    const response = await fetch(changed, { headers });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(SECRET);
  }
});

test("metrics only: webhooks, deliveries and shared links are refused", async () => {
  for (const [, headers] of callers) {
    for (const [method, path] of [
      ["POST", "/v1/webhooks"],
      ["GET", "/v1/webhooks"],
      ["GET", "/v1/webhooks/x/deliveries"],
      ["GET", "/v1/alerts/x/deliveries"],
      ["GET", "/v1/shared-links"],
    ] as const) {
      const { status } = await it.call(method, path, { key: null, headers, ...(method === "POST" && { body: {} }) });
      expect([path, status]).toEqual([path, 403]);
    }
  }
});
