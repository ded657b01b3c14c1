import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { GatewayError } from "../../src/errors.ts";
import { RemoteHooks } from "../../src/gateway/further-threads/ask-hooks.ts";
import { serveHooks } from "../../src/gateway/further-threads/serve-hooks.ts";
import type { RequestHooks } from "../../src/gateway/request-hooks.ts";
import type { GatewayRequest, Json, RequestEnd, RequestKind } from "../../src/plugin-host/contract.ts";
import { PassedOn } from "../../src/runtime/http/pass-on.ts";
import { takeOver } from "../../src/runtime/http/take-over.ts";
import type { Endpoint } from "../../src/runtime/rpc.ts";
import { threadPorts } from "../../src/runtime/thread.ts";
import { chance } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { exchangeRaw, OK, startProvider } from "../raw-http.ts";
import { route } from "../routing/things.ts";
import { until } from "../until.ts";
import {
  gatewayHeaders,
  idOf,
  KEY,
  keySnapshot,
  startTestGateway,
  type TestGateway,
  type TestOptions,
} from "./harness.ts";
import { at, chatResponse, json, standIn, startUnified } from "./unified/house.ts";

/** Echoes the request; at `/endless` it begins a response that never ends. */
const RANDOM = chance("bodies");
let provider: Server;
let origin: string;
let calls = 0;
let broken = 0;
beforeAll(async () => {
  provider = createServer((request, response) => {
    calls += 1;
    response.on("close", () => {
      if (!response.writableFinished) broken += 1;
    });
    response.setHeader("content-type", "application/octet-stream");
    if (request.url === "/endless") response.write("begun");
    else request.pipe(response);
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => provider.closeAllConnections());

interface Pair extends AsyncDisposable {
  readonly first: TestGateway;
  /** The one that a client talks to; what it cannot do itself it asks of the first. */
  readonly further: TestGateway;
  /** As if the further one's thread had ended. */
  lose(): void;
}

/** Both gateways in this thread: what goes from one to the other goes over the same ports as between threads. */
async function startPair(
  hooks: Partial<RequestHooks> = {},
  start: (options: TestOptions) => Promise<TestGateway> = startTestGateway,
): Promise<Pair> {
  const directory = temporaryDirectory();
  const config = { data_dir: directory.path };
  const [[toHooks, itsHooks], [toRequests, itsRequests]] = [threadPorts(), threadPorts()];
  const all = [toHooks, itsHooks, toRequests, itsRequests];
  for (const each of all) each.start();
  const endpoint = (port: (typeof all)[number]) => port as unknown as Endpoint;
  const first = await start({ config });
  const none = { has: () => true, onRequest: () => undefined, onForward: () => undefined, onEnd: () => undefined };
  const { changes } = hooks.admissions ?? { changes: new Int32Array(1) };
  const forget = serveHooks(endpoint(toHooks), { ...none, ...hooks });
  const end = takeOver(endpoint(toRequests), first.serve);
  const further = await start({
    config,
    hooks: new RemoteHooks(endpoint(itsHooks), changes),
    passedOn: new PassedOn(endpoint(itsRequests)),
  });
  return {
    first,
    further,
    lose() {
      end();
      forget();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([further.close(), first.close()]);
      for (const each of all) each.close();
      directory[Symbol.dispose]();
    },
  };
}

function send(pair: Pair, more: Readonly<Record<string, string>> = {}, init: RequestInit = {}, path = "/echo") {
  return fetch(pair.further.origin + path, {
    method: "POST",
    keepalive: false,
    ...init,
    headers: { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": origin, ...more },
  });
}
const CACHED = { "Gateway-Cache-Enabled": "true" };

test("a request with a cache header is served by the first thread, byte for byte in both directions", async () => {
  await using pair = await startPair();
  const body = RANDOM.bytes(3_500_000);
  const before = calls;
  for (const expected of ["MISS", "HIT"]) {
    const response = await send(pair, CACHED, { body });
    expect(response.headers.get("gateway-cache")).toBe(expected);
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
  }
  expect(calls - before).toBe(1);
  expect([pair.first.spool.exchanges.size, pair.further.spool.exchanges.size]).toEqual([2, 0]);
});

test("identical requests through both threads share one call", async () => {
  await using pair = await startPair();
  const before = calls;
  const here = { further: pair.first } as Pair;
  const responses = await Promise.all([pair, here, pair, here].map((at) => send(at, CACHED, { body: "same" })));
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual(["same", "same", "same", "same"]);
  expect(calls - before).toBe(1);
});

test("a large response to a client that takes its time arrives whole", async () => {
  await using pair = await startPair();
  const body = RANDOM.bytes(12_000_000);
  const response = await send(pair, CACHED, { body });
  const taken: Uint8Array[] = [];
  const reader = response.body!.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    taken.push(read.value);
    if (taken.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(Buffer.concat(taken).equals(body)).toBe(true);
});

test("a client that leaves ends its request in the first thread", async () => {
  await using pair = await startPair();
  const before = broken;
  const client = new AbortController();
  const response = await send(pair, CACHED, { body: "x", signal: client.signal }, "/endless");
  await response.body!.getReader().read();
  client.abort();
  const [id] = [...pair.first.spool.exchanges.keys()];
  expect((await pair.first.spool.ended(id!)).end).toMatchObject({ outcome: "client_gone", status: 499 });
  await until(
    () => broken === before + 1,
    180_000,
    () => "the provider is left too",
  );
});

test("a body that is no well-formed HTTP is refused by the thread that serves it", async () => {
  await using pair = await startPair();
  const headers = gatewayHeaders(origin, "Gateway-Cache-Enabled: true\r\nTransfer-Encoding: chunked\r\n");
  const response = await exchangeRaw(
    pair.further.port,
    `POST /echo HTTP/1.1\r\n${headers}\r\n3\r\nabc\r\nnonsense\r\n`,
  );
  expect(response).toStartWith("HTTP/1.1 400 ");
});

test("an expected 100 Continue comes before the body is sent", async () => {
  await using pair = await startPair();
  const headers = gatewayHeaders(origin, "Gateway-Cache-Enabled: true\r\nExpect: 100-continue\r\n");
  const response = await exchangeRaw(
    pair.further.port,
    `POST /echo HTTP/1.1\r\n${headers}Content-Length: 3\r\nConnection: close\r\n\r\nabc`,
  );
  expect(response).toStartWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ");
});

test("requests of a thread that has ended are ended in the first one too", async () => {
  const ends: RequestEnd[] = [];
  await using pair = await startPair({ onEnd: (end) => void ends.push(end) });
  const [cached, plain] = await Promise.all([
    send(pair, CACHED, { body: "x" }, "/endless"),
    send(pair, {}, { body: "x" }, "/endless"),
  ]);
  pair.lose();
  expect((await pair.first.spool.endedPath("/endless")).end).toMatchObject({ outcome: "client_gone" });
  expect(ends).toEqual([{ id: plain.headers.get("gateway-id")!, status: 500, outcome: "cut_off", forwarded: true }]);
  await Promise.all([cached, plain].map((response) => response.body!.cancel()));
});

test("plugins are called in the first thread: they see, change and refuse requests there, and get their end", async () => {
  const seen: string[] = [];
  const ends: RequestEnd[] = [];
  await using pair = await startPair({
    onRequest(request) {
      seen.push(`${request.method} ${request.path} ${request.target.host} ${request.headers.get("x-team")}`);
      seen.push(`${request.userId} ${request.properties["tier"]} ${request.gatewayHeader("auth")}`);
      return { responseHeaders: { "X-One": "1" } };
    },
    onForward: async ({ id, headers }) =>
      headers.has("x-refused")
        ? { status: 429, code: "rate_limited", message: `no ${id}`, headers: { "Retry-After": "9" } }
        : { responseHeaders: { "X-Two": "zwei" } },
    onEnd: (end) => void ends.push(end),
  });
  const added = {
    "X-Team": "green",
    "Gateway-User-Id": Buffer.from("ü").toString("latin1"),
    "Gateway-Property-tier": "gold",
  };
  const response = await send(pair, added, { body: "hello" });
  expect([await response.text(), response.headers.get("x-one"), response.headers.get("x-two")]).toEqual([
    "hello",
    "1",
    "zwei",
  ]);
  expect(seen).toEqual(["POST /echo 127.0.0.1 green", "ü gold undefined"]);
  const refused = await send(pair, { "X-Refused": "1" }, { body: "hello" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "9"]);
  await until(
    () => ends.length === 2,
    180_000,
    () => "both ends are told",
  );
  expect(ends.map(({ outcome, forwarded }) => [outcome, forwarded])).toEqual([
    ["complete", true],
    ["refused", false],
  ]);
});

/** Hooks that note what they are called for, and admit what `admits` says. */
function admitting(admits: (kind: RequestKind) => boolean) {
  const [asked, ended]: [string[], string[]] = [[], []];
  const passed: number[] = [];
  const changes = new Int32Array(new SharedArrayBuffer(4));
  return {
    asked,
    ended,
    passed: () => passed.reduce((sum, requests) => sum + requests, 0),
    change: () => void Atomics.add(changes, 0, 1),
    onForward({ id }: GatewayRequest) {
      asked.push(id);
      return undefined;
    },
    onEnd: ({ id }: RequestEnd) => void ended.push(id),
    admissions: { changes, admits, onAdmitted: (_kind: RequestKind, requests: number) => void passed.push(requests) },
  };
}

test("requests of an admitted kind are passed on without a question, and counted, until something changes", async () => {
  const hooks = admitting(({ organizationId, keyId, provider, target }) => {
    expect([organizationId, provider, target.origin]).toEqual([keySnapshot(KEY).organizationId, "CUSTOM", origin]);
    return keyId === keySnapshot(KEY).id;
  });
  await using pair = await startPair(hooks);
  const pass = async (more = {}, init: RequestInit = { body: "x" }) => {
    const response = await send(pair, more, init);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return response.headers.get("gateway-id")!;
  };
  const first = await pass();
  const [second] = [await pass(), await pass({}, { method: "GET" }), await pass({ "Gateway-User-Id": "ada" })];
  hooks.change();
  const third = await pass();
  const policy = await pass({ "Gateway-RateLimit-Policy": "5;w=60" });
  await until(
    () => hooks.passed() === 3 && hooks.ended.length === 3,
    180_000,
    () => `passed ${hooks.passed()}, ended ${hooks.ended.length}`,
  );
  expect(hooks.asked).toEqual([first, third, policy]);
  expect(hooks.ended).toEqual([first, third, policy]);
  expect((await pair.further.spool.ended(second!)).end).toMatchObject({ outcome: "complete" });
});

test("an admission of a plugin does not extend to keys with a list of models, other targets or other keys", async () => {
  const hooks = admitting(() => true);
  const other = "sk-weir-us-anotherKeyForTheTestsOfThreadsOnly00000000";
  await using pair = await startPair(hooks);
  const keys = [keySnapshot(KEY), { ...keySnapshot(other), id: "other", models: ["m"] }];
  for (const gateway of [pair.first, pair.further]) gateway.setKeys(keys);
  const alias = origin.replace("127.0.0.1", "localhost");
  for (const more of [{}, { "Gateway-Auth": `Bearer ${other}` }, { "Gateway-Target-Url": alias }]) {
    for (let time = 0; time < 3; time++) await (await send(pair, more, { body: "x" })).arrayBuffer();
  }
  expect(hooks.asked).toHaveLength(1 + 3 + 1);
});

test("a change during a call of the plugins makes its admissions invalid", async () => {
  const hooks = admitting(() => true);
  const { onForward } = hooks;
  hooks.onForward = (request) => {
    hooks.change();
    return onForward(request);
  };
  await using pair = await startPair(hooks);
  for (let time = 0; time < 3; time++) await (await send(pair, {}, { body: "x" })).arrayBuffer();
  expect(hooks.asked).toHaveLength(3);
});

test("a plugin that fails there fails the request here", async () => {
  await using pair = await startPair({
    onForward: () => {
      throw new GatewayError("plugin_failed", 'the plugin "x" failed on this request');
    },
  });
  const response = await send(pair, {}, { body: "hello" });
  expect([response.status, ((await response.json()) as { error: { message: string } }).error.message]).toEqual([
    500,
    'the plugin "x" failed on this request',
  ]);
});

test("where a plugin needs the user of the body, the body is read first, and the plugin is called once", async () => {
  const users: (string | undefined)[] = [];
  await using pair = await startPair({
    needs: () => ["user"],
    onForward({ userId }) {
      users.push(userId);
      return undefined;
    },
  });
  const body = JSON.stringify({ user: "somebody" });
  expect(await (await send(pair, { "Content-Type": "application/json" }, { body })).text()).toBe(body);
  expect(users).toEqual(["somebody"]);
});

test("a plugin of the first thread changes what this one sends", async () => {
  await using pair = await startPair({
    needs: () => ["body"],
    onRequest: () => ({ send: { body: { user: "masked" }, headers: { "X-Team": "red" } } }),
  });
  const body = JSON.stringify({ user: "somebody", n: 1 });
  const response = await send(pair, { "Content-Type": "application/json" }, { body });
  expect(await response.text()).toBe('{"n":1,"user":"masked"}');
  const record = await pair.further.spool.ended(response.headers.get("gateway-id")!);
  expect([record.requestBody.toString(), record.provider.request?.toString()]).toEqual([
    body,
    '{"n":1,"user":"masked"}',
  ]);
});

test("unified requests are served by the first thread, whose measurements order those of all threads", async () => {
  await using upstream = standIn(() => json(chatResponse("hello")));
  const credentials = ["far", "near"].map((name) => at("CUSTOM", upstream.origin, { name }));
  const routes = [route("quick", ["custom:far/m", "custom:near/m"], { strategy: "fastest" })];
  await using pair = await startPair({}, (options) => startUnified({ ...options, credentials, routes }));
  const received = async () => {
    const { targets } = await pair.first.explainRoute({
      ...{ key: keySnapshot(KEY), model: "quick", shape: "chat-completions", properties: {} },
      ...{ body: undefined, user: undefined, session: undefined },
    });
    return targets.map(({ credential }) => credential);
  };
  expect(await received()).toEqual(["far", "near"]);
  // Per token the second is a million times as fast.
  for (const [name, outputTokens] of [...Array(5)].flatMap(() => [["far", 1] as const, ["near", 1_000_000] as const])) {
    const response = await fetch(`${pair.further.origin}/v1/chat/completions`, {
      method: "POST",
      keepalive: false,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: `custom:${name}/m`, messages: [{ role: "user", content: "hello" }] }),
    });
    expect([response.status, ((await response.json()) as Json).choices[0].message.content]).toEqual([200, "hello"]);
    const requestId = response.headers.get("gateway-id")!;
    await pair.first.spool.ended(requestId);
    pair.first.noteUsed([{ requestId, outputTokens }]);
  }
  expect(await received()).toEqual(["near", "far"]);
  expect([pair.first.spool.exchanges.size, pair.further.spool.exchanges.size]).toEqual([10, 0]);
});

test("an error before the gateway knows the request is a 500, and the connection serves the next request", async () => {
  await using upstream = await startProvider(({ socket }) => socket.write(OK));
  let isAway = true;
  const passedOn = new PassedOn({
    addEventListener() {},
    postMessage() {
      if (!isAway) return;
      isAway = false;
      throw new Error("the first thread is away");
    },
  });
  await using gateway = await startTestGateway({ passedOn });
  const passed = `POST /v1/x HTTP/1.1\r\n${gatewayHeaders(upstream.origin, "Gateway-Cache-Enabled: true\r\n")}Content-Length: 2\r\n\r\n{}`;
  const next = `GET / HTTP/1.1\r\n${gatewayHeaders(upstream.origin)}Connection: close\r\n\r\n`;
  const [first, second] = (await exchangeRaw(gateway.port, passed + next)).split(/(?=HTTP\/1\.1 200)/);
  expect(first).toStartWith("HTTP/1.1 500");
  expect(first).toContain(`"code":"internal_error","message":`);
  expect(first).toContain(`"request_id":"${idOf(first!)}"`);
  expect(second).toStartWith("HTTP/1.1 200");
  expect(gateway.logLines.some((line) => line.includes("the first thread is away"))).toBe(true);
});
