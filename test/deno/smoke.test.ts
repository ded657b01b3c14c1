import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { bodyPart, callApi, gatewayHeaders, recordOf, recordsOf, type Weir } from "../e2e/weir.ts";
import { exchangeRaw } from "../raw-http.ts";
import { until } from "../until.ts";
import { commandOnDeno, startOnDeno } from "./weir-on-deno.ts";

/** As a server does that ends a frame wherever it flushes. */
const inTwoFrames = (text: string) =>
  Buffer.concat([text.slice(0, 20), text.slice(20)].map((part) => zstdCompressSync(part)));
const CODINGS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: inTwoFrames } as const;
const RESPONSE = {
  model: "acme-1",
  choices: [{ message: { role: "assistant", content: "hello there" } }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

let folder: string;
let upstream: Upstream;
/** Responds to every request in the coding that its path names, and to `/say` in a form of its own. */
let coded: Server;
let codedOrigin: string;
let weir: Weir;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-deno-"));
  upstream = await startUpstream();
  coded = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.url === "/say") return response.end(spoken(JSON.parse(text)));
      const coding = request.headers["x-coding"] as keyof typeof CODINGS;
      response.setHeader("content-encoding", coding);
      const whole = CODINGS[coding](JSON.stringify(RESPONSE));
      response.end(whole.subarray(0, whole.byteLength - Number(request.headers["x-cut"] ?? 0)));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => coded.once("listening", listening));
  codedOrigin = `http://127.0.0.1:${(coded.address() as AddressInfo).port}`;
  dropIn("providers", "acme", provider(0.25));
  dropIn("plugins", "closed", PLUGIN);
  writeFileSync(join(folder, "weir.toml"), '[plugins.closed]\npath = "/closed"\n');
  weir = await startOnDeno(folder);
}, 300_000);

afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  coded?.close();
  rmSync(folder, { recursive: true, force: true });
});

function spoken(body: { turns: { utterance: string }[] }): string {
  const said = body.turns.at(-1)!.utterance;
  const utterance = `You said: ${said}, and it was heard.`;
  return JSON.stringify({ ref: "r-1", reply: { utterance }, billing: { in: said.length, out: utterance.length } });
}

const provider = (cost: number) => `import type { ProviderPlugin, Usage } from "weir/plugin";
const price = (usage: Usage): number => (usage.total_tokens === undefined ? 0 : ${cost});
export default { apiVersion: 1, name: "ACME", aliases: ["acme"], extends: "OPENAI", cost: price } satisfies ProviderPlugin;
`;

const PLUGIN = `import type { GatewayPlugin } from "weir/plugin";
export default {
  apiVersion: 1,
  name: "closed",
  optionsSchema: { type: "object", properties: { path: { type: "string" } } },
  setup: ({ options }) => ({
    onRequest: (request) =>
      request.path === options.path ? { status: 403, code: "closed", message: "come back at nine" } : undefined,
    onRecord: (draft) => {
      draft.properties.Runtime = "Deno" in globalThis ? "Deno" : "Bun";
    },
  }),
} satisfies GatewayPlugin;
`;

function dropIn(kind: "providers" | "plugins", name: string, text: string): void {
  mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, kind, `${name}.ts`), text);
}

function send(path: string, body: unknown, target = upstream.origin, headers: Record<string, string> = {}) {
  return fetch(weir.gateway + path, {
    method: "POST",
    decompress: false, // some codings are cut off
    body: JSON.stringify(body),
    headers: gatewayHeaders(target, { "content-type": "application/json", ...headers }),
  });
}

const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };

test("on Deno an MCP client gets a response", async () => {
  const headers = { accept: "application/json, text/event-stream" };
  const params = { name: "metrics", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const { result } = await (await callApi(weir, "/mcp", { method: "POST", headers, body })).json();
  expect(result.structuredContent.rows).toHaveLength(1);
});

test("on Deno the API's listener is our own, which limits the time of a head", async () => {
  const response = await exchangeRaw(weir.apiPort, "GET /v1/health HTTP/1.1\r\nHost: a\r\nNo Name: b\r\n\r\n");
  expect(response).toStartWith("HTTP/1.1 400 Bad Request\r\n");
  expect(response).toContain('"code":"bad_request"');
});

test("on Deno a request passes unchanged, is recorded with its usage, and found by a filter", async () => {
  const response = await send("/v1/chat/completions", CHAT, upstream.origin, { "Gateway-Property-Suite": "deno" });
  expect(response.status).toBe(200);
  const id = response.headers.get("gateway-id")!;
  const record = await recordOf(weir, id);
  expect(record).toMatchObject({ provider: "CUSTOM", response_status: 200, request_body: CHAT });
  expect(record["prompt_tokens"]).toBeGreaterThan(0);
  expect(record["llmSchema"].request.messages).toMatchObject([{ role: "user", content: "hi" }]);
  expect(record["properties"]).toMatchObject({ Runtime: "Deno" });
  const seen = upstream.seen.at(-1)!;
  expect(seen.rawHeaders.some((name) => /^gateway-/i.test(name))).toBe(false);
  const filter = { request_response_rmt: { properties: { Suite: { equals: "deno" } } } };
  for (const path of ["/v1/request/query-fast", "/v1/request/query"]) {
    const found = await (await callApi(weir, path, { method: "POST", body: JSON.stringify({ filter }) })).json();
    expect(found.data.map((row: { request_id: string }) => row.request_id)).toEqual([id]);
  }
});

test("on Deno bodies that fill a pack in several commits are read as they were sent", async () => {
  for (const content of ["a".repeat(20_000), "short", "another"]) {
    const body = { ...CHAT, messages: [{ role: "user", content }] };
    const id = (await send("/v1/chat/completions", body)).headers.get("gateway-id")!;
    expect((await recordOf(weir, id))["request_body"]).toEqual(body);
  }
});

test("on Deno a stream is passed on as it comes and recorded as the object it stands for", async () => {
  // Of a stream without an end something arrives: nothing waited for the whole.
  const reader = (await send("/endless", {})).body!.getReader();
  expect((await reader.read()).done).toBe(false);
  await reader.cancel();
  const response = await send("/v1/chat/completions", { ...CHAT, stream: true });
  const text = await response.text();
  const id = response.headers.get("gateway-id")!;
  const record = await recordOf(weir, id);
  expect(record).toMatchObject({ streamed: true, response_status: 200 });
  expect(record["llmSchema"].response.messages[0].content.length).toBeGreaterThan(0);
  expect((await bodyPart(weir, id, "response&raw=true")).toString()).toBe(text);
});

test.each(Object.keys(CODINGS))(
  "on Deno a response in %s is read by a drop-in provider, with its cost",
  async (coding) => {
    const headers = { "x-coding": coding, "accept-encoding": coding, "Gateway-Target-Provider": "acme" };
    const response = await send("/v1/chat/completions", CHAT, codedOrigin, headers);
    const record = await recordOf(weir, response.headers.get("gateway-id")!);
    expect(record).toMatchObject({ provider: "ACME", model: "acme-1", total_tokens: 5, cost: 0.25 });
    expect(record["response_body"]).toEqual(RESPONSE);
  },
);

test.each(Object.keys(CODINGS))(
  "on Deno a response in %s that lacks its end is recorded as truncated",
  async (coding) => {
    const headers = { "x-coding": coding, "x-cut": "2" };
    const response = await send("/v1/chat/completions", CHAT, codedOrigin, headers);
    const id = response.headers.get("gateway-id")!;
    await response.arrayBuffer().catch(() => undefined); // the client finds it cut off as well
    expect((await recordOf(weir, id))["truncated"]).toBe(true);
  },
);

test("on Deno a client that closes while its provider is silent ends the call", async () => {
  const called = Promise.withResolvers<net.Socket>();
  const silent = net.createServer((socket) => socket.once("data", () => called.resolve(socket)));
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const { port } = silent.address() as AddressInfo;
  const id = crypto.randomUUID();
  const headers = { Host: "weir.test", ...gatewayHeaders(`http://127.0.0.1:${port}`, { "Gateway-Request-Id": id }) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const client = net.connect(weir.gatewayPort, "127.0.0.1");
  client.write(`GET /silent HTTP/1.1\r\n${lines.join("")}\r\n`);
  const call = await called.promise;
  const ended = new Promise((end) => call.once("close", end));
  client.destroy();
  await ended;
  expect((await recordOf(weir, id))["response_status"]).toBe(499);
  silent.close();
});

test("on Deno a drop-in plugin refuses, and a drop-in that changes is read again without a restart", async () => {
  const refused = await send("/closed", CHAT);
  expect([refused.status, (await refused.json()).error.code]).toEqual([403, "closed"]);
  dropIn("providers", "acme", provider(0.75));
  const cost = async () => {
    const headers = { "x-coding": "gzip", "Gateway-Target-Provider": "acme" };
    const response = await send("/v1/chat/completions", CHAT, codedOrigin, headers);
    return (await recordOf(weir, response.headers.get("gateway-id")!))["cost"];
  };
  await until(
    async () => (await cost()) === 0.75,
    180_000,
    () => "the changed provider is not in use",
    250,
  );
});

test("on Deno the mapper reads an unknown format on request", async () => {
  const ids: string[] = [];
  for (const utterance of ["good morning", "how far is the moon", "thank you"]) {
    const body = { model: "zeta", turns: [{ speaker: "customer", utterance }] };
    ids.push((await send("/say", body, codedOrigin)).headers.get("gateway-id")!);
  }
  for (const id of ids) await recordOf(weir, id);
  const mapped = await callApi(weir, "/v1/models/zeta/expedite", { method: "POST" });
  expect(await mapped.json()).toMatchObject({ data: [{ model: "zeta", state: "mapped", samples: 3 }], error: null });
  const record = await recordOf(weir, ids[0]!);
  expect(record["llmSchema"].request.messages).toMatchObject([{ role: "user", content: "good morning" }]);
});

test("on Deno commands work while the service runs", async () => {
  const made = await commandOnDeno(weir, "keys", "create", "--name", "deno", "--scopes", "read");
  expect(made.status).toBe(0);
  expect(made.stdout).toMatch(/^sk-weir-us-\w+\n$/);
  const key = made.stdout.trim();
  await until(
    async () => (await callApi(weir, "/v1/models", {}, key)).status === 200,
    180_000,
    () => "the new key does not hold",
  );
  const checked = await commandOnDeno(weir, "plugins", "check", "providers/acme.ts");
  expect([checked.status, checked.stderr]).toEqual([0, ""]);
}, 300_000);

test("on Deno a TRACE request to the API is a 405 like every other wrong method", async () => {
  const socket = net.connect(Number(new URL(weir.api).port), "127.0.0.1");
  let said = "";
  socket.on("data", (bytes) => (said += bytes));
  socket.write("TRACE /v1/models HTTP/1.1\r\nHost: weir\r\nConnection: close\r\n\r\n");
  await new Promise((closed) => socket.once("close", closed));
  expect(said).toStartWith("HTTP/1.1 405 ");
});

test("on Deno a kill loses no record, and SIGTERM lets a stream finish and exits 0", async () => {
  const data = mkdtempSync(join(tmpdir(), "weir-deno-life-"));
  try {
    const first = await startOnDeno(data);
    const through = (origin: string, path: string) =>
      fetch(origin + path, { method: "POST", body: "{}", headers: gatewayHeaders(upstream.origin), keepalive: false });
    const whole = await through(first.gateway, "/v1/quick");
    await whole.text();
    const cut = await through(first.gateway, "/endless");
    await first.kill();
    await cut.text().catch(() => undefined);

    const second = await startOnDeno(data);
    const ids = [whole, cut].map((response) => response.headers.get("gateway-id")!);
    expect((await recordOf(second, ids[0]!))["response_status"]).toBe(200);
    expect((await recordOf(second, ids[1]!))["response_status"]).toBe(500);
    const stream = await through(second.gateway, "/events?n=20&ms=20");
    const stopped = second.stop();
    expect(await stream.text()).toContain('{"index":19}');
    expect(await stopped).toBe(0);
    expect(second.output()).not.toMatch(/panic|uncaught/i);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}, 300_000);

test("on Deno two gateway threads serve one port, a limit holds for both, and all is recorded", async () => {
  const data = mkdtempSync(join(tmpdir(), "weir-deno-threads-"));
  const both = await startOnDeno(data, { WEIR_GATEWAY_THREADS: "2" });
  try {
    const headers = gatewayHeaders(upstream.origin, { "Gateway-RateLimit-Policy": "10;w=3600" });
    const ask = () => fetch(`${both.gateway}/v1/quick`, { method: "POST", body: "{}", headers, keepalive: false });
    const responses = await Promise.all(Array.from({ length: 40 }, ask));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    const ids = responses.map((response) => response.headers.get("gateway-id")!);
    expect(await recordsOf(both, ids)).toHaveLength(40);
    expect(await both.stop()).toBe(0);
  } finally {
    await both[Symbol.asyncDispose]();
    rmSync(data, { recursive: true, force: true });
  }
}, 300_000);
