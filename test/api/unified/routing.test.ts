import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandLine } from "../../cli/terminal.ts";
import { openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const explain = (body: unknown, key = it.keys.read) => it.call("POST", "/v1/route/explain", { key, body });

test("paused credentials are shown as the gateway reports them", async () => {
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
  expect(it.sent.question).toEqual({
    key: { id: "", name: "", organizationId: it.organization, models: null, credentials: null },
    ...{ model: "fast", shape: "chat-completions", properties: {} },
    ...{ body: undefined, user: undefined, session: undefined },
  });
  const { id } = it.published().find(({ name }) => name === "gateway")!;
  const body = { temperature: 1 };
  const more = { shape: "messages", user: "u", session: "s", properties: { Plan: "free" } };
  expect((await explain({ model: "fast", key_id: id, body, ...more })).status).toBe(200);
  expect(it.sent.question).toMatchObject({ key: { id, name: "gateway" }, body: '{"temperature":1}', ...more });
});

test.each([
  [{}, 400, "model"],
  [{ model: "a", shape: "No Shape" }, 400, "shape"],
  [{ model: "a", body: "x" }, 400, "body"],
  [{ model: "a", key_id: "nothing" }, 404, "key_id"],
])("%p gets %p at %p", async (body, status, path) => {
  const response = await explain(body);
  expect([response.status, response.json.path]).toEqual([status, path]);
});

test("an unknown shape is refused with the list of shapes", async () => {
  const { json } = await explain({ model: "a", shape: "No Shape" });
  expect(json.message).toBe(
    "shape: give one of chat-completions, responses, messages, generate-content, completions, embeddings, or the name of a drop-in's shape",
  );
});

test("a key of another organization is unknown", async () => {
  const { id } = it.published().find(({ name }) => name === "other")!;
  expect((await explain({ model: "a", key_id: id })).status).toBe(404);
});

test("both are for keys that may read", async () => {
  expect((await explain({ model: "a" }, it.keys.gateway)).status).toBe(403);
  expect((await it.call("GET", "/v1/route/health", { key: it.keys.gateway })).status).toBe(403);
});

const TARGET = {
  ...{ provider: "ANTHROPIC", model: "claude-sonnet-4-5", credential: "team", shape: "messages", same_shape: false },
  ...{ url: "https://api.anthropic.com/v1/messages", estimated_cost: 0.015054, state: "ready", skipped: null },
  ...{ dropped: ["seed"], approximated: ["temperature"], refused: [], reason: "order", request: {} },
};
const NOTHING_LOST = { dropped: [], approximated: [], shape: "chat-completions", same_shape: true };

/** The command line of a terminal with 80 columns, beside the service. */
const terminal = (env: Record<string, string> = {}) =>
  commandLine({ WEIR_API_URL: it.origin, WEIR_API_KEY: it.keys.read, NO_COLOR: "1", ...env }, 80);

test("weir route explain prints what the service says, within 80 columns", async () => {
  const second = { ...TARGET, ...NOTHING_LOST, provider: "OPENAI", model: "gpt-5-mini", estimated_cost: null };
  it.explanation = {
    resolved_by: "route fast",
    targets: [
      TARGET,
      { ...second, state: "resting until 2026-11-23T07:00:00.000Z", skipped: "it rests" },
      { ...second, credential: "x".repeat(60), state: "limit spent", skipped: "its limit is spent" },
    ],
  };
  const { status, out, err } = await terminal().run("route", "explain", "fast");
  expect([status, err]).toEqual([0, ""]);
  const lines = out.split("\n");
  expect(lines.slice(0, 3)).toEqual(["resolved by route fast", "", expect.stringMatching(/^TARGET .*STATE .*WHY/)]);
  expect(lines[3]).toMatch(/^anthropic\/claude-sonnet-4-5 +team +ready +\$0\.015 +order$/);
  expect(lines[4]).toMatch(/^openai\/gpt-5-mini +team +resting +it rests$/);
  expect(lines[5]).toMatch(/^openai\/gpt-5-mini +x+… +limit spent +its lim/);
  for (const line of lines.slice(2, 6)) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines.slice(6)).toEqual([
    "",
    "anthropic/claude-sonnet-4-5 (team): translated to messages; dropped seed; approximated temperature",
    "openai/gpt-5-mini (team): resting until 2026-11-23T07:00:00.000Z",
    "",
  ]);
  const json = await terminal().run("route", "explain", "fast", "--json");
  expect(JSON.parse(json.out)).toEqual(it.explanation);
});

test("weir route explain takes a key by its name, and a body from a file or stdin", async () => {
  const { id } = it.published().find(({ name }) => name === "gateway")!;
  const cli = terminal();
  await Bun.write(`${cli.directory}/body.json`, '{"temperature":1}');
  const more = ["--key", "gateway", "--user", "u", "--session", "s", "--property", "Plan=a=b"];
  expect((await cli.run("route", "explain", "a,b", "--shape", "messages", "--body", "body.json", ...more)).status).toBe(
    0,
  );
  expect(it.sent.question).toEqual({
    ...{ model: "a,b", shape: "messages", body: '{"temperature":1}', user: "u", session: "s" },
    ...{ key: expect.objectContaining({ id, name: "gateway" }), properties: { Plan: "a=b" } },
  });
  expect((await cli.feed('{"n":1}', "route", "explain", "a", "--body", "-")).status).toBe(0);
  expect(it.sent.question).toMatchObject({ shape: "chat-completions", body: '{"n":1}', key: { id: "" } });
});

test.each<[string, Record<string, string>, string[], number, string]>([
  ["no key", { WEIR_API_KEY: "" }, [], 2, "WEIR_API_KEY"],
  ["an unknown key", { WEIR_API_KEY: "sk-weir-us-unknown" }, [], 1, "expired"],
  [
    "nobody there",
    { WEIR_API_URL: "http://127.0.0.1:1" },
    [],
    1,
    "no Weir service responds at http://127.0.0.1:1: nothing listens there",
  ],
  ["an address that is none", { WEIR_API_URL: "ftp://x" }, [], 2, "http"],
  ["a shape that is none", {}, ["--shape", "No Shape"], 2, "shape: give one of chat-completions"],
  ["a body that is not there", {}, ["--body", "nowhere.json"], 2, "cannot be read"],
  ["a body that is no JSON", {}, ["--body", "-"], 2, "is no JSON"],
  ["a body that is no object", {}, ["--body", "list.json"], 2, "body"],
  ["a key that is not there", {}, ["--key", "nothing"], 1, "no key"],
  ["a property without a value", {}, ["--property", "Plan"], 2, "NAME=VALUE"],
])("weir route explain, %s: one line", async (_name, env, words, status, says) => {
  const cli = terminal(env);
  await Bun.write(`${cli.directory}/list.json`, "[]");
  const refused = await cli.run("route", "explain", "fast", ...words);
  expect([refused.status, refused.out]).toEqual([status, ""]);
  expect(refused.err).toContain(says);
  expect(refused.err.trimEnd()).not.toContain("\n");
});
