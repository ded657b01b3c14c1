import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, queryIds, recordOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

interface Pair extends AsyncDisposable {
  readonly us: Weir;
  /** The European addresses of the same process. */
  readonly eu: Pick<Weir, "gateway" | "api">;
}

const PAIR = { WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" };
const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });

let upstream: Upstream;
let directory: string;
let pair: Pair;

beforeAll(async () => {
  upstream = await startUpstream();
  directory = mkdtempSync(join(tmpdir(), "weir-regions-"));
  pair = await startPair();
});
afterAll(async () => {
  await pair?.[Symbol.asyncDispose]();
  upstream?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function startPair(env: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const us = await startWeir({ dataDirectory: directory, env: { ...PAIR, ...env } });
  const line = us
    .log()
    .split("\n")
    .find((each) => each.includes('"eu_gateway"'))!;
  const { eu_gateway, eu_api } = JSON.parse(line);
  return { us, eu: { gateway: eu_gateway, api: eu_api }, [Symbol.asyncDispose]: () => us[Symbol.asyncDispose]() };
}

async function send(at: Pick<Weir, "gateway">, more: Readonly<Record<string, string>> = {}): Promise<Response> {
  const headers = { ...gatewayHeaders(upstream.origin, more), "Content-Type": "application/json" };
  return fetch(`${at.gateway}/v1/chat/completions`, { method: "POST", body: CHAT, headers, keepalive: false });
}

async function idOf(response: Promise<Response>): Promise<string> {
  const { status, headers } = await response;
  expect(status).toBe(200);
  return headers.get("gateway-id")!;
}

const read = async (at: Pick<Weir, "api">, path: string, body?: Json): Promise<Json> =>
  (await callApi(at, path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })).json();

test("rule 7: a key works at either address and finds only what that region stores; the wrong address returns empty data", async () => {
  const { us, eu } = pair;
  const properties = { "Gateway-Property-App": "regions" };
  const [american, european] = [await idOf(send(us, properties)), await idOf(send(eu, properties))];
  expect(await recordOf(us, american)).toMatchObject({ request_id: american, response_status: 200 });
  expect(await recordOf(eu, european)).toMatchObject({ request_id: european, response_status: 200 });
  expect(await queryIds(us, [european])).toEqual([]);
  expect(await queryIds(eu, [american])).toEqual([]);
  const filter = { request_response_rmt: { properties: { App: { equals: "regions" } } } };
  for (const [at, id] of [
    [us, american],
    [eu, european],
  ] as const) {
    const { data, error } = await read(at, "/v1/request/query-fast", { filter });
    expect(error).toBeNull();
    expect(data.map(({ request_id }: Json) => request_id)).toEqual([id]);
    expect((await read(at, "/v1/request/count/query", { filter })).data).toBe(1);
  }
  expect(existsSync(join(directory, "eu/weir.db"))).toBe(true);
  expect(existsSync(join(directory, "eu/spool"))).toBe(true);
});

test("a signed address is of its own region and works there alone", async () => {
  const { us, eu } = pair;
  const { signed_body_url } = await recordOf(eu, await idOf(send(eu)));
  expect(String(signed_body_url)).toStartWith(eu.api);
  expect((await fetch(String(signed_body_url))).status).toBe(200);
  expect((await fetch(String(signed_body_url).replace(eu.api, us.api))).status).toBe(401);
});

test("keys, domains, rate limits and prices are known in both, wherever they were set", async () => {
  const { us, eu } = pair;
  const made = (await read(eu, "/v1/keys", { name: "made in Europe", scopes: ["gateway", "read"] })).data;
  expect(made.key).toStartWith("sk-weir-eu-");
  const status = async (at: Pick<Weir, "api">) => (await callApi(at, "/v1/models", {}, made.key)).status;
  await until(
    async () => (await status(us)) === 200 && (await status(eu)) === 200,
    180_000,
    () => "the key is not known",
  );
  await callApi(us, `/v1/keys/${made.id}`, { method: "DELETE" });
  await until(
    async () => (await status(us)) === 401 && (await status(eu)) === 401,
    180_000,
    () => "the key is not revoked",
  );

  await callApi(eu, "/v1/domains/blocked.test/deny", { method: "POST" });
  const denied = (await read(us, "/v1/domains")).data.find(({ domain }: Json) => domain === "blocked.test");
  expect(denied.state).toBe("denied");

  const price = { provider: "CUSTOM", model: "priced-in-both", request: 0.25 };
  await callApi(us, "/v1/models/prices", { method: "PUT", body: JSON.stringify(price) });
  expect((await read(eu, "/v1/models/prices")).data).toContainEqual(expect.objectContaining({ model: price.model }));
  const body = CHAT.replace("gpt-4o-mini", price.model);
  const costAt = async (at: Pick<Weir, "api" | "gateway">) => {
    const headers = gatewayHeaders(upstream.origin, { "Gateway-Model-Override": price.model });
    const response = await fetch(`${at.gateway}/v1/chat/completions`, { method: "POST", body, headers });
    return (await recordOf(at, response.headers.get("gateway-id")!))["cost"];
  };
  for (const at of [us, eu])
    await until(
      async () => (await costAt(at)) === 0.25,
      180_000,
      () => "the price does not hold",
    );
});

test("a policy counts what passes at both addresses", async () => {
  const { us, eu } = pair;
  const policy = { "Gateway-RateLimit-Policy": "3;w=60;s=Tenant", "Gateway-Property-Tenant": "both" };
  const statuses = [];
  for (const at of [us, eu, us, eu]) statuses.push((await send(at, policy)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("an id that a client chose is taken in both", async () => {
  const { us, eu } = pair;
  const id = crypto.randomUUID();
  expect((await send(us, { "Gateway-Request-Id": id })).status).toBe(200);
  expect((await send(eu, { "Gateway-Request-Id": id })).status).toBe(409);
  await recordOf(us, id);
  expect(await queryIds(eu, [id])).toEqual([]);
});

test("none of the four listeners is a target", async () => {
  const { us, eu } = pair;
  for (const at of [us, eu]) {
    for (const own of [us.gateway, us.api, eu.gateway, eu.api]) {
      const response = await fetch(`${at.gateway}/v1/x`, { headers: gatewayHeaders(own), keepalive: false });
      expect([own, response.status]).toEqual([own, 403]);
    }
  }
});

test("each API tells of its own region, and the command line can export from it", async () => {
  const { us, eu } = pair;
  await idOf(send(eu));
  for (const at of [us, eu]) {
    expect((await fetch(`${at.api}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${at.api}/metrics`)).text()).toContain("weir_gateway_requests_total");
  }
  const env = { ...us.env, WEIR_API_KEY: us.env["WEIR_BOOTSTRAP_KEY"]!, WEIR_API_URL: us.api, WEIR_EU_API_URL: eu.api };
  const count = (await read(eu, "/v1/request/count/query", { filter: "all" })).data;
  const exported = await runCommand(env, "export", "--region", "eu", "-o", "-", "--quiet");
  expect(exported.stdout.trim().split("\n")).toHaveLength(count);
  const models = await runCommand(env, "models", "list", "--region", "eu", "--json");
  expect(JSON.parse(models.stdout).map(({ model }: Json) => model)).toContain("gpt-4o-mini-2026-03-01");
});

test("requests from before a kill are in their region's records after it", async () => {
  const ids = { us: await idOf(send(pair.us)), eu: await idOf(send(pair.eu)) };
  await pair.us.kill();
  pair = await startPair();
  expect(await recordOf(pair.us, ids.us)).toMatchObject({ response_status: 200 });
  expect(await recordOf(pair.eu, ids.eu)).toMatchObject({ response_status: 200 });
  expect(await queryIds(pair.us, [ids.eu])).toEqual([]);
});
