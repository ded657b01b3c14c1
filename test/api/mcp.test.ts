import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NEEDS } from "../../src/api/access/needs.ts";
import { TOOLS } from "../../src/api/mcp/tools.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { createServiceKey } from "../../src/store/keys.ts";
import { idOf, insert } from "../filter/world.ts";
import { until } from "../until.ts";
import { call, connectedTo, type Result } from "./mcp-client.ts";
import { openApi, type TestApi } from "./open.ts";

const NOW = Date.now();
const COUNT = 60;
const SECRET = "the level at Lenggries";
const LONG = `${"🌊".repeat(6_000)}${SECRET}`;
let it: TestApi;
let keys: Record<"read" | "write" | "figures" | "gateway" | "other", string>;

beforeAll(async () => {
  it = await openApi();
  const record = (n: number, organization: string) => ({
    columns: {
      request_id: idOf(n),
      organization_id: organization,
      request_created_at: NOW - (COUNT - n) * 60_000,
      provider: "OPENAI",
      model: n % 2 === 0 ? "m-even" : "m-odd",
      user_id: "ann",
      cost: n / 1000,
      delay_ms: n * 10,
      response_status: n % 10 === 0 ? 500 : 200,
      session_id: n < 5 ? "s-1" : null,
      wire_schema: "chat-completions",
      input: SECRET,
      output: "x".repeat(500),
    },
    properties: [{ name: "Team", value: n % 3 === 0 ? "blue" : "red" }],
    requestBody: JSON.stringify({ model: "m", messages: [{ role: "user", content: n === 7 ? LONG : SECRET }] }),
    responseBody: JSON.stringify({ choices: [] }),
  });
  await insert(
    it.store,
    Array.from({ length: COUNT }, (_, n) => record(n, it.organization)),
  );
  await insert(it.store, [record(900, it.other)]);
  const made = { organization: "default", region: "us", expiresAt: null } as const;
  const figures = await createServiceKey(it.store.records, { ...made, name: "figures", scopes: ["figures"] });
  const both = await createServiceKey(it.store.records, { ...made, name: "rw", scopes: ["read", "write"] });
  await until(() => it.published().some(({ name }) => name === "rw"));
  keys = {
    ...{ read: it.keys.read, gateway: it.keys.gateway, other: it.keys.other },
    ...{ figures: figures.key, write: both.key },
  };
});
afterAll(() => it[Symbol.asyncDispose]());

const connected = (key: string) => connectedTo(it.origin, key);

test("every tool stands for an endpoint of the table of needs, and only reads unless it says so", () => {
  for (const { endpoint, writes } of TOOLS) {
    expect(Object.hasOwn(NEEDS, endpoint)).toBe(true);
    expect(writes ? ["write"] : ["figures", "bodies"]).toContain(NEEDS[endpoint] as string);
  }
});

test("every tool has a description and examples, and fits JSON Schema", async () => {
  await using client = await connected(it.keys.all);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  for (const { description, inputSchema, outputSchema, annotations, name } of tools) {
    expect(description!.length).toBeGreaterThan(40);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema).toMatchObject({ type: "object" });
    expect(annotations!.readOnlyHint).toBe(!/^(?:add|set)_/.test(name));
  }
  expect(client.getInstructions()).toContain("query_requests");
});

const READS = TOOLS.filter(({ writes }) => !writes).map(({ name }) => name);
const FIGURES = TOOLS.filter(({ endpoint }) => NEEDS[endpoint] === "figures").map(({ name }) => name);
const WRITES = TOOLS.filter(({ writes }) => writes).map(({ name }) => name);

test.each([
  ["gateway", []],
  ["figures", FIGURES],
  ["read", READS],
  ["write", [...READS, ...WRITES]],
] as const)("a %s key is shown the tools that it may use, and can call no other", async (scope, allowed) => {
  await using client = await connected(keys[scope]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...allowed]);
  const others = TOOLS.map(({ name }) => name).filter((name) => !(allowed as readonly string[]).includes(name));
  for (const name of others) {
    const refused = await call(client, name, { id: idOf(1), rating: true, scores: { a: 1 }, properties: { a: "b" } });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("may not call") });
  }
});

describe("a key that sees metrics only", () => {
  test.each<[string, Record<string, unknown>]>([
    ["query_requests", {}],
    ["get_request", { id: idOf(1) }],
    ["get_request", { id: idOf(1), part: "request_body" }],
    ["get_request", { id: idOf(1), part: "response_body" }],
    ["get_session", { session: "s-1" }],
    ["list_sessions", {}],
    ["metrics", { group_by: ["model"] }],
    ["explain_cost", { id: idOf(1) }],
  ])("sees no texts in the result of %s %j", async (name, input) => {
    await using client = await connected(keys.figures);
    const { text, isError } = await call(client, name, input);
    expect(isError).toBeUndefined();
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("xxx");
  });

  test.each(["request_body~Lenggries", "input~level", "answer~x"])("nor by asking for %s", async (filter) => {
    await using client = await connected(keys.figures);
    expect(await call(client, "query_requests", { filter })).toMatchObject({
      isError: true,
      text: expect.stringContaining("permission"),
    });
    expect(await call(client, "query_requests", { search: "level" })).toMatchObject({ isError: true });
  });
});

test("another organization's key finds nothing of this one", async () => {
  await using client = await connected(keys.other);
  expect((await call(client, "query_requests")).value.requests.map(({ id }: { id: string }) => id)).toEqual([
    idOf(900),
  ]);
  expect(await call(client, "get_request", { id: idOf(1) })).toMatchObject({ isError: true });
  expect(await call(client, "add_score", { id: idOf(1), scores: { a: 1 } })).toMatchObject({ isError: true });
});

test("requests are found by words, in an order, page after page", async () => {
  await using client = await connected(keys.read);
  const first = await call(client, "query_requests", {
    filter: "model=m-even property.Team=blue",
    limit: 4,
    sort: "cost",
  });
  const ids = [54, 48, 42, 36].map(idOf);
  expect(first.value.requests.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(first.value.requests[0]).toMatchObject({ model: "m-even", cost_usd: 0.054, properties: { Team: "blue" } });
  const more = { filter: "model=m-even property.Team=blue", limit: 4, sort: "cost", cursor: first.value.next_cursor };
  expect((await call(client, "query_requests", more)).value.requests[0].id).toBe(idOf(30));
  expect((await call(client, "query_requests", { last: "1s" })).value).toEqual({ requests: [], next_cursor: null });
});

test("a list is as long as there is room, and its cursor continues behind its last row", async () => {
  await using client = await connected(keys.read);
  const found: string[] = [];
  let cursor: string | null | undefined;
  do {
    const { value, text } = await call(client, "query_requests", { limit: 100, ...(cursor && { cursor }) });
    expect(text.length).toBeLessThan(100_000);
    found.push(...value.requests.map(({ id }: { id: string }) => id));
    cursor = value.next_cursor;
  } while (cursor);
  expect(found).toEqual(Array.from({ length: COUNT }, (_, n) => idOf(COUNT - 1 - n)));
});

test("a long text comes in parts that make the whole", async () => {
  await using client = await connected(keys.read);
  let text = "";
  let offset: number | null = 0;
  while (offset !== null) {
    const input = { id: idOf(7), part: "request_body", offset, max_chars: 3_001 };
    const { value }: Result = await call(client, "get_request", input);
    expect(value.content.total_chars).toBeGreaterThan(LONG.length);
    text += value.content.text;
    offset = value.content.next_offset;
  }
  expect(JSON.parse(text).messages[0].content).toBe(LONG);
});

test("a text is read to its end by single characters too, of which some are pairs", async () => {
  await using client = await connected(keys.read);
  const of = { id: idOf(7), part: "request_body", max_chars: 1 };
  const start = (await call(client, "get_request", { ...of, max_chars: 200 })).value.content.text.indexOf("🌊");
  let text = "";
  let offset = start;
  while (text.length < 6) {
    const { value }: Result = await call(client, "get_request", { ...of, offset });
    text += value.content.text;
    offset = value.content.next_offset;
  }
  expect(text).toBe("🌊🌊🌊");
});

test("sessions, metrics, properties and models are returned", async () => {
  await using client = await connected(keys.read);
  const { value } = await call(client, "get_session", { session: "s-1", limit: 3 });
  expect(value.session).toMatchObject({ session_id: "s-1", requests: 5 });
  expect(value.steps.map(({ id }: { id: string }) => id)).toEqual([0, 1, 2].map(idOf));
  expect(value.next_offset).toBe(3);
  const rest = (await call(client, "get_session", { session: "s-1", offset: 3 })).value;
  expect([rest.steps.length, rest.next_offset]).toEqual([2, null]);
  expect((await call(client, "list_sessions")).value.sessions).toHaveLength(1);
  const metrics = (await call(client, "metrics", { filter: "status=500", group_by: ["model"] })).value;
  expect(metrics).toMatchObject({ rows: [{ model: "m-even", requests: 6 }], next_offset: null });
  expect((await call(client, "list_properties")).value.properties).toEqual(["Team"]);
  expect((await call(client, "list_properties", { name: "Team" })).value.values).toEqual(["blue", "red"]);
  expect((await call(client, "list_models")).value.models).toBeArray();
  expect((await call(client, "explain_cost", { id: idOf(3) })).value.cost.request_id).toBe(idOf(3));
});

test("a key that may write scores, labels and rates", async () => {
  await using client = await connected(keys.write);
  const id = idOf(11);
  expect((await call(client, "add_score", { id, scores: { helpful: true } })).value).toEqual({
    scores: { helpful: 1 },
  });
  expect((await call(client, "set_property", { id, properties: { Reviewed: "yes", Team: null } })).value).toEqual({
    properties: { Reviewed: "yes" },
  });
  expect((await call(client, "add_feedback", { id, rating: false })).value).toEqual({ rating: false });
  expect((await call(client, "get_request", { id })).value.request).toMatchObject({
    ...{ scores: { helpful: 1 }, properties: { Reviewed: "yes" }, feedback_rating: false },
  });
});

test("a dataset is found, read page after page, and filled by a key that may write", async () => {
  const { json } = await it.call("POST", "/v1/datasets", { body: { name: "of an agent" } });
  const dataset: string = json.data.id;
  await using client = await connected(keys.write);
  const ids = [21, 23].map(idOf);
  const added = await call(client, "add_to_dataset", { dataset, request_ids: [...ids, idOf(999)], labels: ["hard"] });
  expect(added.value).toMatchObject({ added: 2, version: 1, items: 2, skipped: [{ request_id: idOf(999) }] });
  const chosen = await call(client, "add_to_dataset", { dataset, filter: "latency=250", limit: 5 });
  expect(chosen.value).toMatchObject({ added: 1, version: 2, items: 3 });
  await it.call("POST", `/v1/datasets/${dataset}/items`, {
    body: { items: [{ input: { messages: [{ role: "user", content: LONG.repeat(3) }] } }] },
  });
  await using reader = await connected(keys.read);
  const listed = (await call(reader, "list_datasets")).value.datasets;
  expect(listed).toMatchObject([{ id: dataset, name: "of an agent", items: 4 }]);
  const seen: Json[] = [];
  let cursor: string | null | undefined;
  do {
    const { value } = await call(reader, "get_dataset_items", { dataset, limit: 2, ...(cursor && { cursor }) });
    seen.push(...value.items);
    cursor = value.next_cursor;
  } while (cursor);
  expect(seen.map(({ request_id }) => request_id)).toEqual([...ids, idOf(25), null]);
  expect(seen[0]).toMatchObject({ labels: ["hard"], input: { messages: [{ role: "user", content: SECRET }] } });
  expect(seen[3].is_cut).toBe(true);
  expect(seen[3].input.messages[0].content.length).toBeLessThanOrEqual(1_000);
  await using other = await connected(keys.other);
  expect((await call(other, "list_datasets")).value.datasets).toEqual([]);
  expect(await call(other, "get_dataset_items", { dataset })).toMatchObject({ isError: true });
  const both = await call(client, "add_to_dataset", { dataset, request_ids: ids, limit: 1 });
  expect(both).toMatchObject({ isError: true, text: "limit is for a filter: name fewer request_ids" });
  const unnamed = await call(client, "set_property", { id: idOf(11), properties: { "": "x" } });
  expect(unnamed).toMatchObject({ isError: true, text: "a name is empty" });
  for (const input of [{ dataset }, { dataset, request_ids: ids, last: "1h" }]) {
    const refused = await call(client, "add_to_dataset", input);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("say which requests") });
  }
});

test.each<[string, Record<string, unknown>, string]>([
  ["query_requests", { filter: "modle=x" }, 'did you mean "model"?'],
  ["query_requests", { limt: 3 }, 'query_requests takes no "limt"; it takes: filter, last'],
  ["query_requests", { limit: 1_000 }, "limit: give at most 100"],
  ["query_requests", { sort: "cots" }, 'did you mean "cost"?'],
  ["query_requests", { cursor: "x" }, "cursor"],
  ["metrics", { group_by: ["modle"] }, 'did you mean "model"?'],
  ["get_request", { id: "../keys" }, "no request with this id"],
  ["get_request", {}, "id: "],
  ["get_requests", {}, "did you mean get_request?"],
])("%s %j is an error in words", async (name, input, says) => {
  await using client = await connected(keys.read);
  const { isError, text } = await call(client, name, input);
  expect(isError).toBe(true);
  expect(text).toContain(says);
});

describe("the wire", () => {
  const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const send = (body: string, headers: Record<string, string> = {}, method = "POST") =>
    fetch(`${it.origin}/mcp`, {
      method,
      headers: { authorization: `Bearer ${keys.read}`, ...ACCEPT, ...headers },
      ...(method === "POST" && { body }),
    });
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

  test("without a known key is refused before anything is read", async () => {
    for (const authorization of ["", "Bearer sk-weir-us-nothing"]) {
      const response = await send("{", { authorization });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });

  test("takes POST alone: there is no stream to open and no session to end", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await send("", { accept: "text/event-stream" }, method);
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
    expect((await fetch(`${it.origin}/mcp`, { headers: { accept: "text/html" } })).status).toBe(405);
  });

  test("takes no call from a page of another site, and one from its own", async () => {
    expect((await send(JSON.stringify(ping(1)), { origin: "https://evil.example" })).status).toBe(403);
    expect((await send(JSON.stringify(ping(1)), { origin: "null" })).status).toBe(403);
    expect((await send(JSON.stringify(ping(1)), { origin: it.origin })).status).toBe(200);
    const rebound = { origin: "http://evil.example", host: "evil.example" };
    expect((await send(JSON.stringify(ping(1)), rebound)).status).toBe(403);
  });

  test.each(["2025-03-26", "2025-06-18", "2025-11-25"])("speaks version %s", async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const { result } = (await (await send(JSON.stringify(initialize))).json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({ protocolVersion, serverInfo: { name: "weir" }, capabilities: { tools: {} } });
    const done = { jsonrpc: "2.0", method: "notifications/initialized" };
    const noted = await send(JSON.stringify(done), { "mcp-protocol-version": protocolVersion });
    expect([noted.status, await noted.text()]).toEqual([202, ""]);
  });

  test("refuses a version that does not exist", async () => {
    expect((await send(JSON.stringify(ping(1)), { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  });

  test.each<[string, string, number]>([
    ["no JSON", "{", -32700],
    ["an empty batch", "[]", -32600],
    ["a batch that is too long", JSON.stringify(Array.from({ length: 21 }, (_, id) => ping(id))), -32600],
  ])("%s gets the response that JSON-RPC specifies", async (_name, body, code) => {
    const response = await send(body);
    expect([response.status, await response.json()]).toEqual([
      400,
      { jsonrpc: "2.0", id: null, error: { code, message: expect.any(String) } },
    ]);
  });

  test("responds to a batch of an older client", async () => {
    const responses = (await (await send(JSON.stringify([ping(1), ping(2)]))).json()) as { id: number }[];
    expect(responses.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  test("has a bound for its messages", async () => {
    expect((await send(JSON.stringify({ ...ping(1), params: "x".repeat(1024 * 1024) }))).status).toBe(413);
  });
});
