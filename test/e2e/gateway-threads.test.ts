import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import type { BeginMeta } from "../../src/spool/frame.ts";
import { FRAME } from "../../src/spool/frame.ts";
import { chance } from "../chance.ts";
import { readAll } from "../spool/journal.ts";
import { type CrashRound, crashRounds } from "./crash.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, recordsOf, startWeir, until, type Weir, type WeirOptions } from "./weir.ts";

const THREADS = { WEIR_GATEWAY_THREADS: "2" };
const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });

let upstream: Upstream;
/** For the tests that neither stop nor count all. */
let weir: Weir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await start();
});
afterAll(async () => {
  await weir?.[Symbol.asyncDispose]();
  upstream?.close();
});

const start = ({ env, ...options }: WeirOptions = {}) => startWeir({ ...options, env: { ...THREADS, ...env } });

/** On a connection of its own, so that the system chooses the thread. */
function send(at: Weir, more: Readonly<Record<string, string>> = {}, path = "/v1/chat/completions", body = CHAT) {
  const headers = { ...gatewayHeaders(upstream.origin), "Content-Type": "application/json", ...more };
  return fetch(at.gateway + path, { method: "POST", body, headers, keepalive: false });
}

async function sendMany(at: Weir, count: number, more: Readonly<Record<string, string>> = {}): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, () => send(at, more)));
}

const idsOf = (responses: readonly Response[]) => responses.map(({ headers }) => headers.get("gateway-id")!);
const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status).sort();

/** Who wrote which begin that is still in the spool; the main thread is undefined. */
function writersOf(at: Weir): ReadonlyMap<number | undefined, number> {
  const counts = new Map<number | undefined, number>();
  for (const { kind, payload } of readAll(join(at.dataDirectory, "spool"))) {
    if (kind !== FRAME.begin) continue;
    const { writer } = JSON.parse(payload.toString()) as BeginMeta;
    counts.set(writer, (counts.get(writer) ?? 0) + 1);
  }
  return counts;
}

async function passed(): Promise<number> {
  const text = await (await fetch(`${weir.api}/metrics`)).text();
  const counts = [...text.matchAll(/^weir_gateway_requests_total\{.*status="2xx".*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test("two threads serve one port, every request has one record, and the metrics add up", async () => {
  const before = await passed();
  const responses = await sendMany(weir, 64);
  expect(new Set(statusesOf(responses))).toEqual(new Set([200]));
  expect(await recordsOf(weir, idsOf(responses))).toHaveLength(64);
  expect([...writersOf(weir)].map(([writer]) => writer).sort()).toEqual([2, undefined]);
  expect((await passed()) - before).toBe(64);
  const ready = (await (await fetch(`${weir.api}/readyz`)).json()) as Json;
  expect(ready).toMatchObject({ degraded: [] });
}, 300_000);

test("of 200 concurrent requests against a limit of 50 exactly 50 are let through, whichever thread they reach", async () => {
  const responses = await sendMany(weir, 200, { "Gateway-RateLimit-Policy": "50;w=3600" });
  expect(statusesOf(responses)).toEqual([...Array(50).fill(200), ...Array(150).fill(429)]);
  expect(await recordsOf(weir, idsOf(responses))).toHaveLength(200);
}, 300_000);

test("a limit that is made later counts in every thread from its response on, and until it is removed", async () => {
  const requestsToday = async () => {
    const { data } = (await (await callApi(weir, "/v1/domains/127.0.0.1")).json()) as Json;
    return data.requests_today as number;
  };
  const before = await requestsToday();
  expect(new Set(statusesOf(await sendMany(weir, 40)))).toEqual(new Set([200]));
  await until(async () => (await requestsToday()) === before + 40);
  const body = JSON.stringify({ name: "later", quota: 10, window_seconds: 3_600 });
  const made = (await (await callApi(weir, "/v1/rate-limits", { method: "POST", body })).json()) as Json;
  expect(statusesOf(await sendMany(weir, 40))).toEqual([...Array(10).fill(200), ...Array(30).fill(429)]);
  const removed = await callApi(weir, `/v1/rate-limits/${made.data.id}`, { method: "DELETE" });
  expect(removed.status).toBe(200);
  expect(new Set(statusesOf(await sendMany(weir, 10)))).toEqual(new Set([200]));
}, 300_000);

test("identical requests share one call and one cached response, whichever thread they reach", async () => {
  const before = upstream.seen.length;
  const responses = await sendMany(weir, 30, { "Gateway-Cache-Enabled": "true" });
  expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
  expect(upstream.seen.length - before).toBe(1);
  expect(responses.filter(({ headers }) => headers.get("gateway-cache") === "HIT")).toHaveLength(29);
  expect(await recordsOf(weir, idsOf(responses))).toHaveLength(30);
  const { data } = (await (await callApi(weir, "/v1/cache")).json()) as Json;
  expect(data).toMatchObject({ entries: 1 });
}, 300_000);

test("an id that a client chooses names one request, whichever thread it reaches", async () => {
  const responses = await sendMany(weir, 20, { "Gateway-Request-Id": "0192aaaa-bbbb-7ccc-8ddd-eeeeffff0001" });
  expect(statusesOf(responses)).toEqual([200, ...Array(19).fill(409)]);
}, 300_000);

test("a key's list of models holds in pass-through, whichever thread a request reaches", async () => {
  const made = { name: "bound", scopes: ["gateway"], models: ["gpt-4o*", "!gpt-4o-audio", "anthropic/*"] };
  const response = await callApi(weir, "/v1/keys", { method: "POST", body: JSON.stringify(made) });
  const { key } = ((await response.json()) as Json).data;
  const ask = (body: object, more = {}) =>
    Promise.all(
      Array.from({ length: 8 }, () =>
        send(weir, { "Gateway-Auth": `Bearer ${key}`, ...more }, undefined, JSON.stringify({ messages: [], ...body })),
      ),
    );
  await until(async () => (await ask({ model: "gpt-4o-mini" })).every(({ status }) => status === 200));
  const before = upstream.seen.length;
  for (const body of [{ model: "gpt-5" }, { model: "gpt-4o-audio" }, { model: "claude-x" }, {}]) {
    const responses = await ask(body);
    expect(statusesOf(responses)).toEqual(Array(8).fill(403));
    for (const each of responses) expect(((await each.json()) as Json).error.code).toBe("model_forbidden");
  }
  expect(upstream.seen.length).toBe(before);
  // By the provider's name as well.
  const named = await ask({ model: "claude-x" }, { "Gateway-Target-Provider": "anthropic" });
  expect(statusesOf(named)).toEqual(Array(8).fill(200));
}, 300_000);

test("a key that is revoked is refused by every thread from the response on", async () => {
  const body = JSON.stringify({ name: "short-lived", scopes: ["gateway"] });
  const { data } = (await (await callApi(weir, "/v1/keys", { method: "POST", body })).json()) as Json;
  const auth = { "Gateway-Auth": `Bearer ${data.key}` };
  expect(new Set(statusesOf(await sendMany(weir, 24, auth)))).toEqual(new Set([200]));
  expect((await callApi(weir, `/v1/keys/${data.id}`, { method: "DELETE" })).status).toBeLessThan(300);
  expect(new Set(statusesOf(await sendMany(weir, 24, auth)))).toEqual(new Set([401]));
}, 300_000);

test("a stop lets streams of every thread finish, and each is recorded whole", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-threads-"));
  const stopping = await start({ dataDirectory });
  const streams = await Promise.all(Array.from({ length: 16 }, () => send(stopping, {}, "/events?n=30&ms=20", "{}")));
  const status = stopping.stop();
  const texts = await Promise.all(streams.map((stream) => stream.text()));
  expect(await status).toBe(0);
  expect(new Set(texts).size).toBe(1);
  await using again = await start({ dataDirectory });
  const records = await recordsOf(again, idsOf(streams));
  expect(records.map(({ response_status }) => response_status)).toEqual(Array(16).fill(200));
  await again.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}, 300_000);

test("after kill -9 under load every id that reached a client has exactly one record", async () => {
  const rounds: CrashRound[] = [];
  const random = chance("moments of kills");
  const delayMs = () => 300 + random.number() * 600;
  const lost = await crashRounds(upstream, 2, 24, delayMs, (round) => rounds.push(round), THREADS);
  expect(lost).toEqual([]);
  for (const round of rounds) {
    expect(round).toMatchObject({ found: round.seen, missing: [], doubled: [], wrong: [] });
    expect(round.cutButWholeInRecord).toBeLessThanOrEqual(2);
  }
}, 300_000);

/** A provider like the others, but that its code ends the gateway thread that it is loaded in, when a file says so. */
const DEADLY = (flag: string) => `
import { existsSync, rmSync } from "node:fs";
import { workerData } from "node:worker_threads";
if (workerData?.ports?.hooks !== undefined) {
  setInterval(() => {
    if (!existsSync(${JSON.stringify(flag)})) return;
    rmSync(${JSON.stringify(flag)});
    process.exit(3);
  }, 20);
}
export default { apiVersion: 1, name: "DEADLY", hosts: ["deadly.test"] };
`;

test("a gateway thread that dies is restarted, and its requests in flight are recorded as cut off", async () => {
  const directory = mkdtempSync(join(tmpdir(), "weir-deadly-"));
  const flag = join(directory, "now");
  writeFileSync(join(directory, "deadly.ts"), DEADLY(flag));
  await using mortal = await start({ env: { WEIR_PROVIDERS_DIR: directory } });
  const clients = Array.from({ length: 16 }, () => new AbortController());
  const streams = await Promise.all(
    clients.map(({ signal }) =>
      fetch(`${mortal.gateway}/endless`, {
        method: "POST",
        body: "{}",
        headers: gatewayHeaders(upstream.origin),
        signal,
        keepalive: false,
      }),
    ),
  );
  const ofThread = writersOf(mortal).get(2) ?? 0;
  writeFileSync(flag, "");
  const broken = streams.map((stream) =>
    stream.text().then(
      () => "ended",
      () => "broken",
    ),
  );
  await until(
    () => mortal.log().includes("the gateway (2) thread ended and is restarted"),
    180_000,
    () => mortal.log(),
  );
  // The new one has a number of its own among the spool's writers.
  const served = async () => {
    await sendMany(mortal, 8).catch(() => undefined); // what the dead one was about to accept may be refused
    return writersOf(mortal).has(3);
  };
  await until(served, 180_000, () => "the thread serves again");
  for (const client of clients) client.abort();
  await Promise.all(broken);
  const records = await recordsOf(mortal, idsOf(streams));
  const count = (status: number) => records.filter(({ response_status }) => response_status === status).length;
  expect([count(500), count(499)]).toEqual([ofThread, 16 - ofThread]);
  rmSync(directory, { recursive: true, force: true });
}, 300_000);

test("threads share their port with each other, and with no other program", async () => {
  const taken = start({ env: { WEIR_GATEWAY_PORT: String(weir.gatewayPort) } });
  await expect(taken).rejects.toThrow("is in use by another program");
}, 300_000);

test("both regions of a pair have their threads", async () => {
  await using pair = await start({ env: { WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" } });
  const line = pair
    .log()
    .split("\n")
    .find((each) => each.includes('"eu_gateway"'))!;
  const { eu_gateway: gateway, eu_api: api } = JSON.parse(line) as { eu_gateway: string; eu_api: string };
  const eu = { ...pair, gateway, api, dataDirectory: join(pair.dataDirectory, "eu") };
  const responses = await sendMany(eu, 32);
  expect(await recordsOf(eu, idsOf(responses))).toHaveLength(32);
  expect(writersOf(eu).size).toBe(2);
}, 300_000);
