import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../src/plugin-host/contract.ts";
import { freePort } from "../ports.ts";
import { type Sqld, startSqld } from "./sqld.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import {
  callApi,
  gatewayHeaders,
  queryIds,
  recordOf,
  recordsOf,
  runCommand,
  startWeir,
  until,
  type Weir,
} from "./weir.ts";

const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });

let upstream: Upstream;
let sqld: Sqld;
/** Two nodes on one database. */
let a: Weir;
let b: Weir;

beforeAll(async () => {
  [upstream, sqld] = await Promise.all([startUpstream(), startSqld()]);
  const env = { WEIR_DATABASE_URL: sqld.url };
  // Both at once, on a database without tables.
  [a, b] = await Promise.all([startWeir({ env }), startWeir({ env })]);
});
afterAll(async () => {
  await Promise.all([a, b].map((weir) => weir?.stop()));
  await sqld?.[Symbol.asyncDispose]();
  upstream?.close();
});

const send = (at: Pick<Weir, "gateway">, more: Readonly<Record<string, string>> = {}, target = upstream.origin) =>
  fetch(`${at.gateway}/v1/chat/completions`, {
    method: "POST",
    body: CHAT,
    headers: { ...gatewayHeaders(target, more), "Content-Type": "application/json" },
    keepalive: false,
  });

async function idOf(response: Promise<Response>): Promise<string> {
  const { status, headers } = await response;
  expect(status).toBe(200);
  return headers.get("gateway-id")!;
}

const call = async (at: Pick<Weir, "api">, method: string, path: string, body?: Json): Promise<Json> => {
  const response = await callApi(at, path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return ((await response.json()) as Json).data;
};

/** Sends from both nodes until stopped. */
function load(clients: number, run: string) {
  const ids: string[] = [];
  let stopped = false;
  const workers = Array.from({ length: clients }, async (_, at) => {
    while (!stopped) ids.push(await idOf(send(at % 2 === 0 ? a : b, { "Gateway-Property-Run": run })));
  });
  return {
    ids,
    stop: async () => {
      stopped = true;
      await Promise.all(workers);
      return ids;
    },
  };
}

/** A provider with an unknown format. */
async function startUnknownProvider(): Promise<{ readonly origin: string } & AsyncDisposable> {
  const words = "You said it, and it was heard.";
  const result = JSON.stringify({ ref: "r-1", reply: { utterance: words }, billing: { in: 12, out: words.length } });
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(result));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const talk = (at: Weir, origin: string) =>
  fetch(`${at.gateway}/say`, {
    method: "POST",
    headers: { ...gatewayHeaders(origin), "content-type": "application/json" },
    body: JSON.stringify({ model: "zeta", live: false, turns: [{ speaker: "customer", utterance: "good morning" }] }),
    keepalive: false,
  });

test("requests of either node are found through both, each record once", async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, (_, at) => idOf(send(at % 2 === 0 ? a : b))));
  for (const at of [a, b]) {
    const records = await recordsOf(at, ids);
    expect(
      records.every(({ response_status, total_tokens }) => response_status === 200 && Number(total_tokens) > 0),
    ).toBe(true);
  }
  expect(await call(a, "POST", "/v1/request/count/query", { filter: "all" })).toBe(60);
});

test("a property that one node sets is seen by the next query of the other", async () => {
  const id = await idOf(send(a));
  await recordOf(b, id);
  await call(b, "PUT", `/v1/request/${id}/property`, { Team: "night" });
  expect((await queryIds(a, [id]))[0]!["properties"]).toEqual({ Team: "night" });
  await call(a, "PUT", `/v1/request/${id}/property`, { Shift: "late" });
  expect((await queryIds(b, [id]))[0]!["properties"]).toEqual({ Team: "night", Shift: "late" });
  const names = Array.from({ length: 12 }, (_, at) => `P${at}`);
  await Promise.all(
    names.map((name, at) => call(at % 2 === 0 ? a : b, "PUT", `/v1/request/${id}/property`, { [name]: "1" })),
  );
  expect(Object.keys((await queryIds(a, [id]))[0]!["properties"])).toEqual(expect.arrayContaining(names));
});

test("a property set through the other node while the response still streams is there in the end", async () => {
  const headers = gatewayHeaders(upstream.origin, { "Gateway-Property-App": "stream" });
  const response = await fetch(`${a.gateway}/held`, { headers, keepalive: false });
  const id = response.headers.get("gateway-id")!;
  // At once: the request's own node has not written its row yet. The other waits for it, though not for as long as a busy machine may need.
  const change = { method: "PUT", body: JSON.stringify({ Team: "night" }) };
  await until(async () => (await callApi(b, `/v1/request/${id}/property`, change)).status === 200);
  upstream.finish();
  await response.text();
  expect(await recordOf(b, id)).toMatchObject({ properties: { App: "stream", Team: "night" } });
});

test("an id that a client chose on one node is taken on the other, at once", async () => {
  const id = crypto.randomUUID();
  const statuses = await Promise.all(
    [a, b, a, b].map(async (at) => (await send(at, { "Gateway-Request-Id": id })).status),
  );
  expect(statuses.sort()).toEqual([200, 409, 409, 409]);
  await recordOf(a, id);
});

test("keys, domains, prices and mappings that are changed on one node reach the other soon", async () => {
  const { key, id } = await call(a, "POST", "/v1/keys", { name: "made on a", scopes: ["gateway", "read"] });
  const knows = async (at: Weir) => (await callApi(at, "/v1/models", {}, key)).status;
  const passes = async (at: Weir) => (await send(at, { "Gateway-Auth": `Bearer ${key}` })).status;
  await until(
    async () => (await knows(b)) === 200 && (await passes(b)) === 200,
    180_000,
    () => "the key is not known",
  );
  await call(b, "DELETE", `/v1/keys/${id}`);
  await until(
    async () => (await knows(a)) === 401 && (await passes(a)) === 401,
    180_000,
    () => "the key is not revoked",
  );

  await call(a, "POST", "/v1/domains/127.0.0.1/deny");
  await until(
    async () => (await send(b)).status === 403,
    180_000,
    () => "the domain is not denied",
  );
  await call(b, "POST", "/v1/domains/127.0.0.1/approve");
  await until(
    async () => (await send(a)).status === 200,
    180_000,
    () => "the domain is not approved",
  );

  await call(a, "PUT", "/v1/models/prices", { provider: "CUSTOM", model: "own", request: 0.25 });
  const cost = async () => (await recordOf(b, await idOf(send(b, { "Gateway-Model-Override": "own" }))))["cost"];
  await until(
    async () => (await cost()) === 0.25,
    180_000,
    () => "the price does not hold",
  );

  const made = await runCommand(a.env, "keys", "create", "--name", "by hand", "--scopes", "gateway");
  const byHand = { "Gateway-Auth": `Bearer ${made.stdout.trim()}` };
  await until(
    async () => (await send(b, byHand)).status === 200,
    180_000,
    () => "the command line's key is not known",
  );
}, 300_000);

test("losing the database under load loses no record: both nodes continue, and waiting records are stored later", async () => {
  const traffic = load(8, "outage");
  const filter = { request_response_rmt: { properties: { Run: { equals: "outage" } } } };
  await until(
    () => traffic.ids.length > 50,
    180_000,
    () => "no traffic",
  );
  await sqld.kill();
  const away = traffic.ids.length;
  await until(
    () => traffic.ids.length > away + 300,
    180_000,
    () => "traffic stopped with the database",
  );
  expect((await fetch(`${a.api}/readyz`)).status).toBe(200);
  await sqld.start();
  const back = traffic.ids.length;
  await until(
    () => traffic.ids.length > back + 50,
    180_000,
    () => "traffic stopped",
  );
  const ids = await traffic.stop();
  await recordsOf(b, ids);
  expect(await call(a, "POST", "/v1/request/count/query", { filter })).toBe(ids.length);
}, 300_000);

test("a model is mapped through any node, by the one that runs the jobs, also for records of the other", async () => {
  await using provider = await startUnknownProvider();
  const ids: string[] = [];
  for (const at of [a, b, a, b]) ids.push((await talk(at, provider.origin)).headers.get("gateway-id")!);
  await recordsOf(a, ids);
  await recordsOf(b, ids);
  // Whichever node has the jobs, the other one requests what is done already. It gets "pending" after half a minute.
  for (const at of [a, b, a]) {
    await until(
      async () => (await call(at, "POST", "/v1/models/zeta/expedite"))[0].state === "mapped",
      180_000,
      () => "the model stays pending",
    );
  }
  const mapped = async () => (await queryIds(b, ids)).every(({ prompt_tokens }) => Number(prompt_tokens) > 0);
  await until(mapped, 180_000, () => "what was recorded before is not read again");
  ids.push((await talk(b, provider.origin)).headers.get("gateway-id")!);
  expect(await recordOf(b, ids.at(-1)!)).toMatchObject({ prompt_tokens: 12 });
}, 300_000);

test("nodes on one machine share the gateway's port, and each records what it was given", async () => {
  const port = String(await freePort());
  const env = { WEIR_DATABASE_URL: sqld.url, WEIR_GATEWAY_PORT: port, WEIR_GATEWAY_PORT_SHARED: "yes" };
  await using one = await startWeir({ env });
  await using two = await startWeir({ env });
  const ids = await Promise.all(Array.from({ length: 64 }, () => idOf(send(one))));
  await recordsOf(two, ids);
  const passed = async ({ api }: Weir) => {
    const text = await (await fetch(`${api}/metrics`)).text();
    return Number(/^weir_gateway_requests_total\{.*status="2xx".*\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const counts = [await passed(one), await passed(two)];
  expect(counts[0]! + counts[1]!).toBe(64);
  expect(Math.min(...counts)).toBeGreaterThan(0);
}, 300_000);

test("a node that is killed and one that continues lose nothing; the killed one reads on where it was", async () => {
  const ids = [await idOf(send(a)), await idOf(send(b))];
  await b.kill();
  b = await startWeir({ dataDirectory: b.dataDirectory, env: { WEIR_DATABASE_URL: sqld.url } });
  ids.push(await idOf(send(b)), await idOf(send(a)));
  for (const at of [a, b]) expect(await recordsOf(at, ids)).toHaveLength(4);
});
