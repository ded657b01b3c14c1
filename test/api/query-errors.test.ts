import { afterAll, beforeAll, expect, test } from "bun:test";
import { EXCHANGES } from "../filter/samples.ts";
import { insert } from "../filter/world.ts";
import { openApi, type TestApi } from "./open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
  const own = EXCHANGES.map(({ columns, ...rest }) => ({
    ...rest,
    columns: { ...columns, organization_id: it.organization },
  }));
  await insert(it.store, own);
});
afterAll(() => it[Symbol.asyncDispose]());

const W = "request_response_rmt";
const wrapped = (field: string, condition: unknown) => ({ [W]: { [field]: condition } });
const text = (condition: unknown) => wrapped("model", condition);
const good = text({ equals: "x" });
const query = (filter: unknown) => ({ filter });
const TOO_MANY = Array.from({ length: 64 }, (_, n) => `name ${n}`);

const LEVELS = "[".repeat(26_000) + "]".repeat(26_000);

type Row = readonly [name: string, path: string, body: unknown, errorPath: string | null, message: string];

const GRAMMAR: readonly Row[] = [
  ["no filter", "query-fast", {}, "filter", "filter: it is missing"],
  ["a null filter", "query-fast", query(null), "filter", 'a leaf, a branch or "all"'],
  ["a number as filter", "query-fast", query(5), "filter", "a leaf, a branch"],
  ["an array as filter", "query-fast", query([]), "filter", "a leaf, a branch"],
  ["another word than all", "query-fast", query("ALL"), "filter", '"ALL"'],
  ["an empty leaf", "query-fast", query({}), "filter", W],
  ["an unknown group", "query-fast", query({ request_response_rtm: {} }), "filter.request_response_rtm", W],
  [
    "a legacy group on the fast endpoint",
    "query-fast",
    query({ request: { model: { equals: "x" } } }),
    "filter.request",
    W,
  ],
  ["an unknown group on the point query", "query", query({ requests: {} }), "filter.requests", '"request"'],
  ["a group without fields", "query-fast", query({ [W]: {} }), `filter.${W}`, "field"],
  ["a group that is text", "query-fast", query({ [W]: "model" }), `filter.${W}`, "field"],
  ["an unknown field", "query-fast", query(wrapped("latencyy", { gte: 1 })), `filter.${W}.latencyy`, '"latency"'],
  [
    "a field of every object",
    "query-fast",
    query(wrapped("constructor", { equals: "x" })),
    `filter.${W}.constructor`,
    "no field",
  ],
  [
    "the prototype as field",
    "query-fast",
    `{"filter":{"${W}":{"__proto__":{"equals":"x"}}}}`,
    `filter.${W}.__proto__`,
    "no field",
  ],
  ["the prototype as group", "query", `{"filter":{"__proto__":{"equals":"x"}}}`, "filter.__proto__", "no group"],
  ["a field without operators", "query-fast", query(text({})), `filter.${W}.model`, "operator"],
  ["a field that is a value", "query-fast", query(text("gpt")), `filter.${W}.model`, "operator"],
  ["an unknown operator", "query-fast", query(text({ equal: "x" })), `filter.${W}.model.equal`, '"equals"'],
  [
    "an operator of every object",
    "query-fast",
    query(text({ toString: "x" })),
    `filter.${W}.model.toString`,
    "no operator",
  ],
  ["an operator of another kind", "query-fast", query(text({ gte: "x" })), `filter.${W}.model.gte`, "no operator"],
  [
    "not-equals on a boolean",
    "query-fast",
    query(wrapped("cached", { "not-equals": true })),
    `filter.${W}.cached.not-equals`,
    '"equals"',
  ],
  [
    "not-equals on a time",
    "query-fast",
    query(wrapped("request_created_at", { "not-equals": "2026-01-01" })),
    `filter.${W}.request_created_at.not-equals`,
    '"equals"',
  ],
  [
    "equals on a body",
    "query-fast",
    query(wrapped("request_body", { equals: "x" })),
    `filter.${W}.request_body.equals`,
    '"contains"',
  ],
  ["a number for text", "query-fast", query(text({ equals: 5 })), `filter.${W}.model.equals`, "a string or null"],
  ["null for contains", "query-fast", query(text({ contains: null })), `filter.${W}.model.contains`, "a string"],
  ["text for a number", "query-fast", query(wrapped("cost", { gte: "1" })), `filter.${W}.cost.gte`, 'number, not "1"'],
  ["null for a bound", "query-fast", query(wrapped("cost", { gte: null })), `filter.${W}.cost.gte`, "a number"],
  [
    "a text that no column is searched for",
    "query-fast",
    query(text({ "not-contains": "x".repeat(4_001) })),
    `filter.${W}.model.not-contains`,
    "at most 4000 characters",
  ],
  [
    "a name that is too long to be compared in any case",
    "query-fast",
    query(wrapped("search_properties", { ["x".repeat(4_001)]: { equals: "x" } })),
    `filter.${W}.search_properties.${"x".repeat(4_001)}`,
    "at most 4000 characters",
  ],
  [
    "a text that no body is searched for",
    "query-fast",
    query(wrapped("request_body", { contains: "x".repeat(100_001) })),
    `filter.${W}.request_body.contains`,
    "at most 100000 characters",
  ],
  [
    "a number for a boolean",
    "query-fast",
    query(wrapped("cached", { equals: 1 })),
    `filter.${W}.cached.equals`,
    "true or false",
  ],
  [
    "a number for a time",
    "query-fast",
    query(wrapped("request_created_at", { gte: 1 })),
    `filter.${W}.request_created_at.gte`,
    "ISO 8601",
  ],
  [
    "a day that is not",
    "query-fast",
    query(wrapped("request_created_at", { gte: "2026-02-30" })),
    `filter.${W}.request_created_at.gte`,
    "ISO 8601",
  ],
  [
    "a time that is not",
    "query-fast",
    query(wrapped("request_created_at", { gte: "2026-01-01T25:00:00Z" })),
    `filter.${W}.request_created_at.gte`,
    "ISO 8601",
  ],
  [
    "a time with a blank before its offset",
    "query-fast",
    query(wrapped("request_created_at", { gte: "2026-01-01T00:00:00 +00:00" })),
    `filter.${W}.request_created_at.gte`,
    "ISO 8601",
  ],
  [
    "a time in words",
    "query-fast",
    query(wrapped("request_created_at", { gte: "yesterday" })),
    `filter.${W}.request_created_at.gte`,
    "ISO 8601",
  ],
  ["properties without a name", "query-fast", query(wrapped("properties", {})), `filter.${W}.properties`, "names"],
  [
    "a property without operators",
    "query-fast",
    query(wrapped("properties", { A: "x" })),
    `filter.${W}.properties.A`,
    "operator",
  ],
  [
    "a bound on a property",
    "query-fast",
    query(wrapped("properties", { A: { gte: "x" } })),
    `filter.${W}.properties.A.gte`,
    "no operator",
  ],
  [
    "text on a score",
    "query-fast",
    query(wrapped("scores", { A: { equals: "x" } })),
    `filter.${W}.scores.A.equals`,
    "a number",
  ],
  [
    "a number as property_key",
    "query-fast",
    query(wrapped("property_key", { equals: 5 })),
    `filter.${W}.property_key.equals`,
    "a string",
  ],
  ["a branch without left", "query-fast", query({ operator: "and", right: good }), "filter.left", "needs"],
  ["a branch without right", "query-fast", query({ left: good, operator: "and" }), "filter.right", "needs"],
  ["a branch without operator", "query-fast", query({ left: good, right: good }), "filter.operator", "needs"],
  [
    "another operator of a branch",
    "query-fast",
    query({ left: good, operator: "xor", right: good }),
    "filter.operator",
    '"and" or "or"',
  ],
  [
    "a branch with something more",
    "query-fast",
    query({ left: good, operator: "or", right: good, centre: good }),
    "filter.centre",
    "no",
  ],
  [
    "an arm that is null",
    "query-fast",
    query({ left: good, operator: "or", right: null }),
    "filter.right",
    "a leaf, a branch",
  ],
  [
    "a fault deep in the tree",
    "query-fast",
    query({
      left: { left: "all", operator: "or", right: wrapped("latencyy", { gte: 1 }) },
      operator: "and",
      right: good,
    }),
    `filter.left.right.${W}.latencyy`,
    '"latency"',
  ],
  [
    "a fault in a second field of a leaf",
    "query-fast",
    query({ [W]: { model: { equals: "x" }, satus: { equals: 1 } } }),
    `filter.${W}.satus`,
    '"status"',
  ],
];

const BODY: readonly Row[] = [
  ["no JSON", "query-fast", "{", null, "not JSON"],
  ["more levels than a filter has", "query-fast", `{"filter":${LEVELS}}`, null, "deeper than 26000 levels"],
  ["an array as body", "query-fast", [], null, "give an object"],
  ["an unknown member", "query-fast", { filter: "all", limits: 5 }, "limits", '"limit"'],
  ["a member without a name", "query-fast", { filter: "all", "": 5 }, "", "known"],
  ["a limit over 10,000", "query-fast", { filter: "all", limit: 10_001 }, "limit", "from 0 to 10000"],
  ["a limit over 1,000", "query", { filter: "all", limit: 1_001 }, "limit", "from 0 to 1000"],
  ["a limit below 0", "query-fast", { filter: "all", limit: -1 }, "limit", "from 0"],
  ["a broken limit", "query-fast", { filter: "all", limit: 1.5 }, "limit", "whole number"],
  ["text as limit", "query-fast", { filter: "all", limit: "10" }, "limit", "give a number"],
  ["an offset below 0", "query-fast", { filter: "all", offset: -1 }, "offset", "0 or more"],
  ["text as flag", "query-fast", { filter: "all", isCached: "true" }, "isCached", "give true or false"],
  ["a sort that is text", "query-fast", { filter: "all", sort: "cost" }, "sort", "an object"],
  ["an unknown sort key", "query-fast", { filter: "all", sort: { costs: "asc" } }, "sort.costs", '"cost"'],
  [
    "a sort key of every object",
    "query-fast",
    { filter: "all", sort: { constructor: "asc" } },
    "sort.constructor",
    "no sort key",
  ],
  ["another direction", "query-fast", { filter: "all", sort: { cost: "up" } }, "sort.cost", '"asc" or "desc"'],
  [
    "a property without direction",
    "query-fast",
    { filter: "all", sort: { properties: { A: 1 } } },
    "sort.properties.A",
    '"asc" or "desc"',
  ],
  [
    "properties that are text",
    "query-fast",
    { filter: "all", sort: { properties: "asc" } },
    "sort.properties",
    "an object",
  ],
  [
    "an order of too many keys",
    "query-fast",
    { filter: "all", sort: { cost: "asc", properties: Object.fromEntries(TOO_MANY.map((name) => [name, "asc"])) } },
    "sort",
    "at most 64 keys",
  ],
  ["random as direction", "query-fast", { filter: "all", sort: { random: "asc" } }, "sort.random", "true or false"],
  ["a cursor of ours that is none", "query-fast", { filter: "all", cursor: "abc" }, "cursor", "next_cursor"],
  ["a cursor that is a number", "query-fast", { filter: "all", cursor: 5 }, "cursor", ""],
  ["a cursor with random", "query-fast", { filter: "all", cursor: "abc", sort: { random: true } }, "cursor", "random"],
  ["an unknown member of a count", "count/query", { filter: "all", limit: 1 }, "limit", ""],
];

const AGGREGATES: readonly Row[] = [
  ["an unknown group", "/v1/metrics/query", { group_by: ["modell"] }, "group_by.0", '"model"'],
  ["a group of every object", "/v1/metrics/query", { group_by: ["model", "constructor"] }, "group_by.1", "grouped by"],
  ["a property without a name", "/v1/metrics/query", { group_by: ["property:"] }, "group_by.0", "grouped by"],
  ["groups as text", "/v1/metrics/query", { group_by: "model" }, "group_by", "give a list"],
  ["a group that is a number", "/v1/metrics/query", { group_by: ["user", 1] }, "group_by.1", "give text"],
  ["an unknown bucket", "/v1/metrics/query", { time_bucket: "days" }, "time_bucket", '"day"'],
  ["a limit over 10,000", "/v1/metrics/query", { limit: 10_001 }, "limit", "from 0 to 10000"],
  ["a bad filter", "/v1/session/query", { filter: { request: {} } }, "filter.request", "field"],
  ["a bad filter", "/v1/property/A/top-costs/query", { filter: [] }, "filter", "a leaf"],
  ["an unknown sort key", "/v1/user/metrics/query", { sort: { user: "asc" } }, "sort.user", "no sort key"],
  ["another direction", "/v1/user/metrics/query", { sort: { cost: 1 } }, "sort.cost", '"asc" or "desc"'],
];

test.each([...GRAMMAR, ...BODY, ...AGGREGATES])(
  "%s is refused by %s with its path",
  async (_name, path, body, errorPath, message) => {
    const address = path.startsWith("/") ? path : `/v1/request/${path}`;
    const { status, json } = await it.call("POST", address, { body });
    expect({ status, data: json.data, error: json.error, path: json.path }).toEqual({
      status: 400,
      data: [],
      error: 400,
      path: errorPath,
    });
    expect(json.message).toContain(message);
  },
);

const HOSTILE = [
  `' or 1=1 --`,
  `"; drop table requests; --`,
  `') union select hash from keys --`,
  "?1",
  '$."x"',
  "*",
  "[a-z]*",
  "%",
  "\\",
  "\u0000",
  "\ud800",
  "x".repeat(4_000),
  "[".repeat(1_600),
  "%a".repeat(2_000),
  "\u0442".repeat(4_000), // a letter with four spellings, which are twelve bytes of a pattern
  "\u{1F600}\u202e",
];

test.each(HOSTILE.map((text) => [JSON.stringify(text.slice(0, 30)), text]))(
  "hostile text %s finds nothing it should not, in any position",
  async (_shown, hostile) => {
    const before = (await it.call("POST", "/v1/request/count/query", { body: { filter: "all" } })).json.data;
    const conditions = [
      wrapped("model", { equals: hostile }),
      wrapped("model", { like: hostile }),
      wrapped("model", { ilike: hostile }),
      wrapped("model", { contains: hostile }),
      wrapped("model", { "not-contains": hostile }),
      wrapped("request_body", { contains: hostile }),
      wrapped("assets", { contains: hostile }),
      wrapped("property_key", { equals: hostile }),
      wrapped("properties", { [hostile]: { equals: hostile } }),
      wrapped("search_properties", { [hostile]: { contains: hostile } }),
      wrapped("scores", { [hostile]: { gte: 0 } }),
      { values: { [hostile]: { "not-equals": hostile } } },
      { request: { prompt: { ilike: hostile } } },
      { left: wrapped("model", { equals: hostile }), operator: "or", right: wrapped("user_id", { equals: hostile }) },
    ];
    for (const filter of conditions) {
      const { status, json } = await it.call("POST", "/v1/request/query", {
        body: { filter, limit: 1_000, includeBody: false },
      });
      expect([status, json.message]).toEqual([200, undefined]);
      expect(json.data.length).toBeLessThanOrEqual(before);
      for (const row of json.data) expect(row.organization_id).toBe(it.organization);
    }
    const inPath = encodeURIComponent(hostile.toWellFormed().slice(0, 1_000));
    const others = [
      [
        "POST",
        "/v1/request/query-fast",
        { filter: "all", sort: { properties: { [hostile]: "asc" }, values: { [hostile]: "desc" } } },
      ],
      ["POST", "/v1/metrics/query", { group_by: [`property:${hostile}`] }],
      ["POST", `/v1/property/${inPath}/search`, { search: hostile }],
      ["POST", `/v1/property/${inPath}/top-costs/query`, {}],
    ] as const;
    for (const [method, path, body] of others) expect((await it.call(method, path, { body })).status).toBe(200);
    for (const [body, path] of [
      [{ filter: { [hostile]: {} } }, "filter"],
      [{ filter: { [W]: { [hostile]: {} } } }, "filter"],
      [{ filter: wrapped("model", { [hostile]: "x" }) }, "filter"],
      [{ filter: hostile }, "filter"],
      [{ filter: "all", sort: { [hostile]: "asc" } }, "sort"],
      [{ filter: "all", cursor: hostile }, "cursor"],
    ] as const) {
      const { status, json } = await it.call("POST", "/v1/request/query-fast", { body });
      expect([status, json.data]).toEqual([400, []]);
      expect(json.path).toStartWith(path);
    }
    const after = await it.call("POST", "/v1/request/count/query", { body: { filter: "all" } });
    expect(after.json.data).toBe(before);
  },
);

test("a query needs the scope read, and a delete the scope write", async () => {
  const read = await it.call("POST", "/v1/request/query-fast", { body: { filter: "all" }, key: it.keys.write });
  expect([read.status, read.json.data]).toEqual([403, []]);
  const write = await it.call("DELETE", "/v1/request", { body: { filter: "all" }, key: it.keys.read });
  expect(write.status).toBe(403);
  expect((await it.call("POST", "/v1/metrics/query", { body: {}, key: null })).status).toBe(401);
});
