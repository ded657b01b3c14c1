import { afterAll, beforeAll, expect, test } from "bun:test";
import { openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi({ routes: { "of-file": { targets: ["openai/gpt-5-mini"] } } });
});
afterAll(() => it[Symbol.asyncDispose]());

const put = (name: string, body: object, key = it.keys.all) =>
  it.call("PUT", `/v1/routes/${encodeURIComponent(name)}`, { key, body });

test("a route is created, sent to the gateway, replaced and removed", async () => {
  const made = await put("claude-*", {
    targets: ["anthropic/claude-*", { model: "of-file", on: ["auth"] }],
    retries: 1,
  });
  expect(made.status).toBe(200);
  expect(made.json.data).toMatchObject({
    name: "claude-*",
    source: "stored",
    organization: "default",
    targets: [
      { model: "anthropic/claude-*", weight: 1 },
      { model: "of-file", weight: 1, on: ["auth"] },
    ],
    strategy: "order",
    sticky: "session",
    retries: 1,
  });
  expect(it.sent.routes).toMatchObject([
    { name: "claude-*", retries: 1, source: "stored", organizationId: it.organization },
  ]);
  await put("claude-*", { targets: ["aws/claude-*"] });
  expect(it.sent.routes).toMatchObject([{ targets: [{ model: "aws/claude-*" }], retries: 0 }]);
  const listed = (await it.call("GET", "/v1/routes")).json.data;
  expect(listed.map(({ name, source }: { name: string; source: string }) => [name, source])).toEqual([
    ["of-file", "file"],
    ["claude-*", "stored"],
  ]);
  expect((await it.call("GET", "/v1/routes/claude-%2A")).json.data).toEqual(listed[1]);
  expect((await it.call("DELETE", "/v1/routes/claude-*")).status).toBe(200);
  expect(it.sent.routes).toEqual([]);
  expect((await it.call("DELETE", "/v1/routes/claude-*")).status).toBe(404);
});

test("a route is its organization's; only the operator names another one", async () => {
  await put("mine", { targets: ["openai/a"] });
  expect((await it.call("GET", "/v1/routes/mine", { key: it.keys.other })).status).toBe(404);
  expect((await it.call("DELETE", "/v1/routes/mine", { key: it.keys.other })).status).toBe(404);
  const refused = await put("mine", { targets: ["openai/a"], organization: "default" }, it.keys.other);
  expect([refused.status, refused.json.path]).toEqual([403, "organization"]);
  const lent = await put("theirs", { targets: ["openai/b"], organization: "other" });
  expect(lent.json.data.organization).toBe("other");
  expect((await it.call("GET", "/v1/routes/theirs", { key: it.keys.other })).status).toBe(200);
  expect((await it.call("GET", "/v1/routes/theirs")).status).toBe(404);
  expect((await put("x", { targets: ["openai/b"], organization: "nobody" })).json.path).toBe("organization");
});

test.each(["50%", "a%2Fb", "é/ü"])("the route %s is found by its name, escaped once", async (name) => {
  expect((await put(name, { targets: ["openai/a"] })).json.data?.name).toBe(name);
  const path = `/v1/routes/${encodeURIComponent(name)}`;
  expect((await it.call("GET", path)).json.data?.name).toBe(name);
  expect((await it.call("DELETE", path)).json.data).toEqual({ name });
});

test.each([
  ["of-file", { targets: ["openai/a"] }, 409, null],
  ["a,b", { targets: ["openai/a"] }, 400, "name"],
  ["loop", { targets: ["loop"] }, 400, "targets.0"],
  ["fast", { targets: [{ model: "a/b", when: { needs: ["smell"] } }] }, 400, "targets.0.when.needs.0"],
  ["fast", {}, 400, "targets"],
  ["fast", [], 400, null],
])("the route %s %p gets %p at %p", async (name, body, status, path) => {
  const response = await put(name, body);
  expect([response.status, response.json.path]).toEqual([status, path]);
});

test.each([
  ["GET", "gateway"],
  ["PUT", "write"],
  ["DELETE", "read"],
] as const)("%s is not for a key with the scope %s", async (method, scope) => {
  const path = method === "GET" ? "/v1/routes" : "/v1/routes/mine";
  const body = method === "PUT" ? { body: { targets: ["a/b"] } } : {};
  expect((await it.call(method, path, { key: it.keys[scope], ...body })).status).toBe(403);
});
