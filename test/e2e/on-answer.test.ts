import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { temporaryDirectory } from "../directory.ts";
import { CHAT_USAGE, datedName, SENTENCE } from "./responses/openai.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, KEY, recordOf, startWeir, until, type Weir } from "./weir.ts";

/** Notes every response it sees as a line of JSON, and marks its record. */
const PLUGIN = `
import { appendFileSync } from "node:fs";
import type { GatewayPlugin, PluginHooks } from "weir/plugin";

export default {
  apiVersion: 1,
  name: "watch",
  optionsSchema: { type: "object", required: ["file"], properties: { file: { type: "string" } } },
  setup: ({ options, gateway }) => {
    if (gateway === undefined) return {};
    let seen = 0;
    return {
      onRequest: ({ path }) =>
        path === "/closed" ? { status: 403, code: "closed", message: "come back at nine" } : undefined,
      onAnswer: async (answer) => {
        const { headers, ...others } = answer;
        appendFileSync(options.file, JSON.stringify({ ...others, headers: Object.fromEntries(headers) }) + "\\n");
        if (answer.path === "/status/418") throw new Error("no");
        return { properties: { Said: answer.text ?? "nothing", Plan: null }, scores: { place: ++seen } };
      },
    } satisfies PluginHooks;
  },
} satisfies GatewayPlugin<{ file: string }>;
`;

/** Checks in code, in the recorder's thread. */
const CHECKS = `
import type { GatewayPlugin, PluginHooks } from "weir/plugin";

export default {
  apiVersion: 1,
  name: "checks",
  setup: () => ({
    onRecorded: ({ facts, request_body, response_body, cost }) => {
      if (facts.path !== "/echo?checked") return undefined;
      const echoed = JSON.stringify(request_body) === JSON.stringify(response_body);
      return { properties: { Checked: "yes" }, scores: { echoed: { value: echoed, reason: "both are " + request_body.text.length }, free: cost === null } };
    },
  }) satisfies PluginHooks,
} satisfies GatewayPlugin;
`;

let home: { readonly path: string; [Symbol.dispose](): void };
let upstream: Upstream;
let weir: Weir;
let file: string;

beforeAll(async () => {
  home = temporaryDirectory();
  upstream = await startUpstream();
  file = join(home.path, "answers.jsonl");
  mkdirSync(join(home.path, "plugins"));
  writeFileSync(join(home.path, "plugins", "watch.ts"), PLUGIN);
  writeFileSync(join(home.path, "plugins", "checks.ts"), CHECKS);
  writeFileSync(join(home.path, "secret"), "the-secret-of-openai");
  writeFileSync(
    join(home.path, "weir.toml"),
    [
      "[plugins.watch]",
      `file = ${JSON.stringify(file)}`,
      "[credentials.stand-in]",
      'provider = "openai"',
      `api_key = ${JSON.stringify(`file:${join(home.path, "secret")}`)}`,
      `base_url = "${upstream.origin}"`,
      "private = true",
    ].join("\n"),
  );
  weir = await startWeir({ dataDirectory: home.path, env: { WEIR_GATEWAY_THREADS: "2" } });
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  home?.[Symbol.dispose]();
}, 300_000);

const seen = (): Json[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];

/** What the plugin saw of the response with this id, or of its failed attempts. */
async function shown(of: (response: Json) => boolean): Promise<Json> {
  let found: Json;
  await until(
    () => {
      found = seen().find(of);
      return found !== undefined;
    },
    180_000,
    () => JSON.stringify(seen().map(({ id, path }) => ({ id, path }))),
  );
  return found;
}

const chat = { model: "m-1", messages: [{ role: "user", content: "hi" }] };

async function send(path: string, body: object, headers: Record<string, string> = {}): Promise<[string, Response]> {
  const response = await fetch(weir.gateway + path, {
    method: "POST",
    headers: { ...gatewayHeaders(upstream.origin), "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return [response.headers.get("gateway-id")!, response];
}

test("a response is shown whole, and the plugin's additions are in the record", async () => {
  const [id] = await send("/v1/chat/completions", chat, {
    "Gateway-User-Id": "ann",
    "Gateway-Property-Plan": "free",
    "Gateway-Property-Team": "red",
  });
  const response = await shown((each) => each.id === id);
  expect(response).toMatchObject({
    id,
    method: "POST",
    path: "/v1/chat/completions",
    status: 200,
    userId: "ann",
    properties: { Plan: "free", Team: "red" },
    text: SENTENCE,
    model: datedName("m-1"),
    usage: { prompt_tokens: CHAT_USAGE.prompt_tokens, completion_tokens: CHAT_USAGE.completion_tokens },
    headers: { "x-request-id": "req_upstream" },
    outcome: "complete",
    streamed: false,
    cached: false,
    truncated: false,
  });
  expect(response.body.choices[0].message.content).toBe(SENTENCE);
  await until(async () => (await recordOf(weir, id))["properties"].Said === SENTENCE, 180_000);
  const { properties, scores } = await recordOf(weir, id);
  expect(properties).toEqual({ Team: "red", Said: SENTENCE });
  expect(scores).toEqual({ place: expect.any(Number) });
}, 300_000);

test("a stream is shown once it has ended, as the object that it would have been", async () => {
  const [id] = await send("/v1/chat/completions", { ...chat, stream: true });
  const response = await shown((each) => each.id === id);
  expect(response).toMatchObject({ streamed: true, text: SENTENCE, outcome: "complete" });
  expect(response.body.choices[0].message.content).toBe(SENTENCE);
}, 300_000);

test("a response from the cache is shown as one", async () => {
  const cached = { "Gateway-Cache-Enabled": "true" };
  const [first] = await send("/v1/chat/completions", { ...chat, user: "of the cache" }, cached);
  let id = "";
  await until(async () => {
    const [next, response] = await send("/v1/chat/completions", { ...chat, user: "of the cache" }, cached);
    id = next;
    return response.headers.get("gateway-cache") === "HIT";
  }, 300_000);
  expect(await shown((each) => each.id === first)).toMatchObject({ cached: false, text: SENTENCE });
  expect(await shown((each) => each.id === id)).toMatchObject({ cached: true, text: SENTENCE, cost: 0 });
}, 300_000);

test("each failed try is shown, and the response that came in their place", async () => {
  const [id] = await send("/status/503", chat, {
    "Gateway-Retry-Enabled": "true",
    "Gateway-Retry-Num": "1",
    "Gateway-Retry-Min-Timeout": "1",
    "Gateway-Fallbacks": JSON.stringify([{ target: upstream.origin, path: "/v1/chat/completions", on: ["5xx"] }]),
  });
  expect(await shown((each) => each.id === id)).toMatchObject({ status: 200, text: SENTENCE });
  let failed: Json[] = [];
  await until(() => {
    failed = seen().filter((each) => each.attemptOf === id);
    return failed.length >= 2;
  }, 300_000);
  expect(failed.map(({ status, body }) => [status, body])).toEqual([
    [503, { status: 503 }],
    [503, { status: 503 }],
  ]);
}, 300_000);

test("a translated response is shown as the client got it", async () => {
  const response = await fetch(`${weir.gateway}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ ...chat, model: "openai/m-1", max_tokens: 100 }),
  });
  const body = await response.json();
  const result = await shown((each) => each.id === response.headers.get("gateway-id"));
  expect(result).toMatchObject({
    provider: "OPENAI",
    credential: "stand-in",
    body: { type: "message" },
    text: SENTENCE,
  });
  expect(result.body).toEqual(body);
  expect(JSON.stringify(result)).not.toContain("the-secret-of-openai");
}, 300_000);

test("what plugins, targets and limits do to a response is shown", async () => {
  const [closed] = await send("/closed", chat);
  expect(await shown((each) => each.id === closed)).toMatchObject({
    status: 403,
    outcome: "refused",
    error: { code: "closed" },
    body: { error: { code: "closed" } },
  });
  const [text] = await send("/bytes?n=1000", chat);
  expect(await shown((each) => each.id === text)).toMatchObject({ status: 200, bodyBytes: 1_000 });
  const [large] = await send("/echo", { text: "x".repeat(300_000) });
  expect(await shown((each) => each.id === large)).toMatchObject({ status: 200, bodyBytes: 300_011 });
  const [omitted] = await send("/v1/chat/completions", chat, { "Gateway-Omit-Response": "true" });
  expect(await shown((each) => each.id === omitted)).toMatchObject({ usage: { completion_tokens: 17 } });
  for (const id of [text, large, omitted])
    for (const member of ["body", "text"]) expect(await shown((each) => each.id === id)).not.toHaveProperty(member);
}, 300_000);

test("a hook that fails adds nothing, is counted, and affects no request", async () => {
  const [id, response] = await send("/status/418", chat);
  expect(response.status).toBe(418);
  await shown((each) => each.id === id);
  await until(async () => {
    const metrics = await (await fetch(`${weir.api}/metrics`)).text();
    return metrics.includes('weir_gateway_hook_failures_total{plugin="watch",hook="onAnswer"} 1');
  }, 300_000);
  expect((await recordOf(weir, id))["properties"]).toEqual({});
  const view = await (await callApi(weir, "/v1/plugins")).json();
  expect(view.data.find(({ name }: Json) => name === "watch").hooks).toEqual(["onRequest", "onAnswer"]);
}, 300_000);

test("a check in code sees both bodies whole, and its scores and reasons are in the record", async () => {
  const [id] = await send("/echo?checked", { text: "x".repeat(300_000) });
  await until(async () => (await recordOf(weir, id))["properties"].Checked === "yes", 180_000);
  expect((await recordOf(weir, id))["scores"]).toMatchObject({ echoed: 1, free: 1 });
  const { data } = await (await callApi(weir, `/v1/request/${id}/scores`)).json();
  expect(data.find(({ name }: Json) => name === "echoed").ratings).toMatchObject([
    { source: "plugin:checks", author: "checks", value: 1, reason: "both are 300000" },
  ]);
}, 300_000);
