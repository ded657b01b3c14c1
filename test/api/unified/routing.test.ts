import { afterAll, beforeAll, expect, test } from "bun:test";
import { openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const explain = (body: unknown, key = it.keys.read) => it.call("POST", "/v1/route/explain", { key, body });

test("what rests is shown as the gateway says", async () => {
  it.health = [
    { provider: "GROQ", credential: "groq-1", model: null, state: "resting", until: 0, failures: 1, lastError: "401" },
    { provider: "OPENAI", credential: "o", model: "a", state: "ready", until: null, failures: 2, lastError: "503" },
  ];
  const { status, json } = await it.call("GET", "/v1/route/health", { key: it.keys.read });
  expect(status).toBe(200);
  expect(json.data).toEqual([
    {
      ...{ provider: "GROQ", credential: "groq-1", model: null, state: "resting" },
      ...{ until: "1970-01-01T00:00:00.000Z", failures: 1, last_error: "401" },
    },
    { provider: "OPENAI", credential: "o", model: "a", state: "ready", until: null, failures: 2, last_error: "503" },
  ]);
});

test("a question reaches the gateway with its defaults, and the key that asks", async () => {
  const plain = await explain({ model: "fast" });
  expect([plain.status, plain.json.data]).toEqual([200, { resolved_by: "route fast", targets: [] }]);
  expect(it.told.question).toEqual({
    key: { id: "", name: "", organizationId: it.organization, models: null, credentials: null },
    ...{ model: "fast", shape: "chat-completions", properties: {} },
    ...{ body: undefined, user: undefined, session: undefined },
  });
  const { id } = it.published().find(({ name }) => name === "gateway")!;
  const body = { temperature: 1 };
  const more = { shape: "messages", user: "u", session: "s", properties: { Plan: "free" } };
  expect((await explain({ model: "fast", key_id: id, body, ...more })).status).toBe(200);
  expect(it.told.question).toMatchObject({ key: { id, name: "gateway" }, body: '{"temperature":1}', ...more });
});

test.each([
  [{}, 400, "model"],
  [{ model: "a", shape: "soap" }, 400, "shape"],
  [{ model: "a", body: "x" }, 400, "body"],
  [{ model: "a", key_id: "nothing" }, 404, "key_id"],
])("%p is answered with %p at %p", async (body, status, path) => {
  const answer = await explain(body);
  expect([answer.status, answer.json.path]).toEqual([status, path]);
});

test("a key of another organization is unknown", async () => {
  const { id } = it.published().find(({ name }) => name === "other")!;
  expect((await explain({ model: "a", key_id: id })).status).toBe(404);
});

test("both are for keys that may read", async () => {
  expect((await explain({ model: "a" }, it.keys.gateway)).status).toBe(403);
  expect((await it.call("GET", "/v1/route/health", { key: it.keys.gateway })).status).toBe(403);
});
