import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { openApi, type TestApi } from "../open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const TOOL = { name: "weather", description: "The weather", parameters: { type: "object", properties: { city: {} } } };
const CHAT = {
  path: "/v1/chat/completions",
  request: {
    model: "m",
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "hello" },
    ],
  },
  response: { object: "chat.completion", choices: [{ message: { role: "assistant", content: "Hi!" } }] },
};
const TOOLS = {
  path: "/v1/chat/completions",
  request: {
    model: "m",
    messages: [
      { role: "user", content: "weather in Rome?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "sunny" },
    ],
    tools: [{ type: "function", function: TOOL }],
  },
  response: {
    object: "chat.completion",
    choices: [
      {
        message: {
          role: "assistant",
          content: "Sunny. Oslo?",
          tool_calls: [{ id: "c2", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
        },
      },
    ],
  },
};
const MESSAGES = {
  path: "/v1/messages",
  request: {
    model: "c",
    max_tokens: 10,
    system: "be kind",
    messages: [{ role: "user", content: [{ type: "text", text: "hey" }] }],
  },
  response: {
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hello" }],
    usage: { input_tokens: 1 },
  },
};
const NOTHING = { path: "/v1/unknown", request: { x: 1 }, response: { y: 2 } };

/** Imports exchanges as requests, a second apart. */
async function record(
  exchanges: readonly (typeof NOTHING | typeof CHAT | typeof TOOLS | typeof MESSAGES)[],
  user = "u",
) {
  const ids = exchanges.map(() => randomUUID());
  const lines = exchanges.map(({ path, request, response }, at) =>
    JSON.stringify({
      ...{
        request_id: ids[at],
        request_created_at: `2026-02-01T00:00:0${at}Z`,
        request_path: path,
        response_status: 200,
      },
      ...{ request_user_id: user, request_body: request, response_body: response },
    }),
  );
  const headers = { "Content-Type": "application/x-ndjson" };
  const { json } = await api.call("POST", "/v1/import", { key: api.keys.all, body: lines.join("\n"), headers });
  expect(json.data.imported).toBe(exchanges.length);
  return ids;
}

async function make(name: string = randomUUID()): Promise<string> {
  const { json } = await api.call("POST", "/v1/datasets", { body: { name } });
  expect(json.error).toBe(null);
  return json.data.id;
}

const add = (id: string, body: object, key = api.keys.all) =>
  api.call("POST", `/v1/datasets/${id}/items`, { key, body });
const list = async (id: string, query = ""): Promise<Json[]> =>
  (await api.call("GET", `/v1/datasets/${id}/items${query}`)).json.data;

async function exported(id: string, query: string): Promise<Json[]> {
  const response = await fetch(`${api.origin}/v1/datasets/${id}/export?${query}`, {
    headers: { Authorization: `Bearer ${api.keys.all}` },
  });
  expect(response.status).toBe(200);
  const text = await response.text();
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const PAIR = { input: { messages: [{ role: "user", content: "q" }] }, output: { role: "assistant", content: "a" } };

test("requests of any provider become examples of one form, the oldest first", async () => {
  const id = await make();
  const [chat, tools, messages, nothing] = await record([CHAT, TOOLS, MESSAGES, NOTHING]);
  const unknown = randomUUID();
  const { json } = await add(id, { requestIds: [messages, chat, tools, nothing, unknown], labels: ["first"] });
  expect(json.data).toMatchObject({ version: 1, items: 3 });
  expect(json.data.skipped).toEqual([
    { request_id: nothing, why: "no conversation of it was recorded" },
    { request_id: unknown, why: "there is no such request" },
  ]);
  const items = await list(id);
  expect(items.map(({ request_id, labels }) => [request_id, labels])).toEqual(
    [chat, tools, messages].map((each) => [each, ["first"]]),
  );
  expect(items.map(({ input, output }) => ({ input, output }))).toEqual([
    { input: { messages: CHAT.request.messages }, output: { role: "assistant", content: "Hi!" } },
    {
      input: { messages: TOOLS.request.messages, tools: TOOLS.request.tools },
      output: TOOLS.response.choices[0]!.message,
    },
    {
      input: {
        messages: [
          { role: "system", content: "be kind" },
          { role: "user", content: "hey" },
        ],
      },
      output: { role: "assistant", content: "Hello" },
    },
  ] as Json);
  const again = await add(id, { requestIds: [chat] });
  expect(again.json.data).toMatchObject({
    ids: [],
    version: 1,
    skipped: [{ request_id: chat, why: "it is in the dataset already" }],
  });
});

test("a filter fills a dataset in steps", async () => {
  const id = await make();
  const ids = await record([CHAT, CHAT, CHAT], "by-filter");
  const filter = { request_response_rmt: { user_id: { equals: "by-filter" } } };
  const first = await add(id, { filter, limit: 2 });
  expect(first.json.data).toMatchObject({ items: 2, version: 1 });
  const second = await add(id, { filter, limit: 2, cursor: first.json.next_cursor });
  expect(second.json.data).toMatchObject({ items: 3, version: 2 });
  expect(second.json.next_cursor).toBe(null);
  expect((await list(id)).map(({ request_id }) => request_id).sort()).toEqual(ids.toSorted());
  const page = await api.call("GET", `/v1/datasets/${id}/items?limit=2`);
  const rest = await api.call("GET", `/v1/datasets/${id}/items?limit=2&cursor=${page.json.next_cursor}`);
  expect([page.json.data.length, rest.json.data.length, rest.json.next_cursor]).toEqual([2, 1, null]);
});

test("every change makes a version, and earlier ones stay", async () => {
  const id = await make();
  const { json } = await add(id, { items: [PAIR, { ...PAIR, labels: ["hard"], note: "n" }] });
  const [first, second] = json.data.ids;
  const output = { role: "assistant", content: "better" };
  const changed = await api.call("PATCH", `/v1/datasets/${id}/items/${first}`, { body: { output, labels: ["good"] } });
  expect(changed.json.data).toMatchObject({ ...PAIR, id: first, output, labels: ["good"], version: 2 });
  expect((await api.call("DELETE", `/v1/datasets/${id}/items`, { body: { ids: [second, "x"] } })).json.data).toEqual({
    removed: 1,
    version: 3,
    items: 1,
  });
  const at = async (version: number) =>
    (await list(id, `?version=${version}`)).map((item) => [item.id, item.output.content]);
  expect(await Promise.all([0, 1, 2, 3].map(at))).toEqual([
    [],
    [
      [first, "a"],
      [second, "a"],
    ],
    [
      [first, "better"],
      [second, "a"],
    ],
    [[first, "better"]],
  ]);
  expect((await api.call("GET", `/v1/datasets/${id}/versions`)).json.data).toEqual([
    { version: 3, added: 0, removed: 1 },
    { version: 2, added: 1, removed: 1 },
    { version: 1, added: 2, removed: 0 },
  ]);
});

test("a dataset is exported for fine-tuning, for trainers of open models and as fixtures", async () => {
  const id = await make("fine tuning / 1");
  const ids = await record([CHAT, TOOLS]);
  await add(id, { requestIds: ids });
  await add(id, { items: [{ input: PAIR.input, labels: ["open"] }] });
  expect(await exported(id, "format=openai")).toEqual([
    { messages: [...CHAT.request.messages, { role: "assistant", content: "Hi!" }] },
    { messages: [...TOOLS.request.messages, TOOLS.response.choices[0]!.message], tools: TOOLS.request.tools },
  ] as Json);
  expect(await exported(id, "format=anthropic")).toEqual([
    {
      system: "be brief",
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "Hi!" },
      ],
    },
    {
      messages: [
        { role: "user", content: "weather in Rome?" },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "weather", input: { city: "Rome" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "sunny" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Sunny. Oslo?" },
            { type: "tool_use", id: "c2", name: "weather", input: { city: "Oslo" } },
          ],
        },
      ],
      tools: [{ name: "weather", description: "The weather", input_schema: TOOL.parameters }],
    },
  ]);
  const share = await exported(id, "format=sharegpt");
  expect(share[1].conversations).toEqual([
    { from: "human", value: "weather in Rome?" },
    { from: "function_call", value: '{"name":"weather","arguments":{"city":"Rome"}}' },
    { from: "observation", value: "sunny" },
    { from: "gpt", value: "Sunny. Oslo?" },
    { from: "function_call", value: '{"name":"weather","arguments":{"city":"Oslo"}}' },
  ]);
  const fixtures = await exported(id, "format=fixtures");
  expect(fixtures).toMatchObject([
    {
      request_id: ids[0],
      request: { messages: CHAT.request.messages },
      response: { choices: [{ finish_reason: "stop" }] },
    },
    { request_id: ids[1], response: { choices: [{ finish_reason: "tool_calls" }] } },
    { request_id: null, response: null },
  ]);
  expect(await exported(id, "")).toEqual(await list(id));
  expect(await exported(id, "label=open&format=jsonl")).toMatchObject([{ labels: ["open"], output: null }]);
  expect(await exported(id, "version=1&format=openai")).toHaveLength(2);
  const head = await fetch(`${api.origin}/v1/datasets/${id}/export?format=openai`, {
    headers: { Authorization: `Bearer ${api.keys.all}` },
  });
  expect(head.headers.get("content-disposition")).toBe('attachment; filename="fine-tuning-1-v2-openai.jsonl"');
  await head.body?.cancel();
});

test("deleting requests takes what was made of them out of every version", async () => {
  const id = await make();
  const [chat, kept] = await record([CHAT, TOOLS]);
  const { json } = await add(id, { requestIds: [chat, kept] });
  await api.call("PATCH", `/v1/datasets/${id}/items/${json.data.ids[0]}`, { body: { note: "copied" } });
  expect((await api.call("DELETE", "/v1/request", { body: { requestIds: [chat] } })).json.data).toBe(1);
  for (const query of ["", "?version=1", "?version=2"])
    expect((await list(id, query)).map(({ request_id }) => request_id)).toEqual([kept]);
});

test("a dataset is named, described, listed and deleted", async () => {
  const id = await make("old name");
  const body = { name: "new name", description: "what for" };
  expect((await api.call("PATCH", `/v1/datasets/${id}`, { body })).json.data).toMatchObject({
    ...body,
    version: 0,
    items: 0,
  });
  const listed = (await api.call("GET", "/v1/datasets")).json.data.map(({ name }: Json) => name);
  expect(listed).toContain("new name");
  expect(listed).toEqual(listed.toSorted());
  const twice = await api.call("POST", "/v1/datasets", { body: { name: "new name" } });
  expect(twice.json).toMatchObject({ error: 409, code: "duplicate_name", path: "name" });
  await add(id, { items: [PAIR] });
  expect((await api.call("DELETE", `/v1/datasets/${id}`)).json.data).toMatchObject({ id, items: 1 });
  expect((await api.call("GET", `/v1/datasets/${id}`)).status).toBe(404);
  const sql = "select count(*) as n from dataset_items where dataset_id = ?";
  expect(await api.store.records.query({ sql, args: [id] })).toEqual([{ n: 0 }]);
});

test("another organization's dataset is not there", async () => {
  const id = await make();
  const key = api.keys.other;
  const calls = [
    ["GET", ""],
    ["PATCH", "", { name: "x" }],
    ["DELETE", ""],
    ["GET", "/versions"],
    ["GET", "/items"],
    ["POST", "/items", { items: [PAIR] }],
    ["PATCH", "/items/x", {}],
    ["DELETE", "/items", { ids: [] }],
    ["GET", "/export"],
  ] as const;
  for (const [method, path, body] of calls) {
    const { status } = await api.call(method, `/v1/datasets/${id}${path}`, { key, ...(body && { body }) });
    expect([method, path, status]).toEqual([method, path, 404]);
  }
  expect((await api.call("GET", "/v1/datasets", { key })).json.data).toEqual([]);
});

test("a key that cannot read what was said puts no requests into a dataset", async () => {
  const id = await make();
  const [chat] = await record([CHAT]);
  const { json } = await add(id, { requestIds: [chat] }, api.keys.write);
  expect(json).toMatchObject({ error: 403, code: "insufficient_permission" });
  expect((await add(id, { items: [PAIR] }, api.keys.read)).status).toBe(403);
});

test.each([
  ["nothing", {}, null, "either requestIds or filter"],
  ["both", { items: [PAIR], requestIds: [randomUUID()] }, null, "either items"],
  ["an id that is none", { requestIds: ["x"] }, "requestIds.0", ""],
  [
    "a message that is no object",
    { items: [{ input: { messages: ["q"] } }] },
    "items.0.input.messages.0",
    "role and content",
  ],
  [
    "a role that there is not",
    { items: [{ input: { messages: [{ role: "bot", content: "" }] } }] },
    "items.0.input.messages.0.role",
    "assistant",
  ],
  [
    "content that is a number",
    { items: [{ input: { messages: [{ role: "user", content: 5 }] } }] },
    "items.0.input.messages.0.content",
    "a text",
  ],
  [
    "an output of the user",
    { items: [{ ...PAIR, output: { role: "user", content: "x" } }] },
    "items.0.output.role",
    "assistant",
  ],
  ["no message", { items: [{ input: { messages: [] } }] }, "items.0.input.messages", ""],
  ["an empty label", { items: [{ ...PAIR, labels: [" "] }] }, "items.0.labels.0", ""],
  ["a member that there is not", { items: [{ ...PAIR, labls: [] }] }, "items.0.labls", ""],
])("items are refused for %s, and the path says where", async (_name, body, path, says) => {
  const id = await make();
  const { status, json } = await add(id, body);
  expect({ status, path: json.path }).toEqual({ status: 400, path });
  expect(json.message).toContain(says);
  expect(await list(id)).toEqual([]);
});

test.each([
  ["format=opanai", "format", 'did you mean "openai"'],
  ["version=9", "version", "0 to 0"],
])("an export is refused for %s", async (query, path, says) => {
  const id = await make();
  const { status, json } = await api.call("GET", `/v1/datasets/${id}/export?${query}`);
  expect({ status, path: json.path }).toEqual({ status: 400, path });
  expect(json.message).toContain(says);
});
