import { expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import net from "node:net";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { eventually } from "../../eventually.ts";
import { exchangeRaw } from "../../raw-http.ts";
import type { TestGateway } from "../harness.ts";
import { ask, countingProvider, handProvider, ownHome, parseResponse, requestText } from "./asking.ts";

const STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const piece = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const LAST = "0\r\n\r\n";

/** Waits until so many requests are being served. */
async function inFlight(gateway: TestGateway, count: number): Promise<void> {
  await gateway.spool.until(
    () => [...gateway.spool.exchanges.values()].filter((one) => one.requestBody.length > 0).length >= count,
  );
}

test("equal requests in flight share one call, as a stream from its start, whenever they join", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const text = requestText(provider.origin);
  const early = Array.from({ length: 10 }, () => exchangeRaw(gateway.port, text));
  const socket = await provider.socketAt(1);
  socket.write(STREAM + piece("one"));
  await inFlight(gateway, 10);
  const seenEarly = Promise.withResolvers<void>();
  const late = exchangeRaw(gateway.port, text, (received) => {
    if (received.includes("one")) seenEarly.resolve();
    return false;
  });
  // The one that came late has the beginning before there is more.
  await seenEarly.promise;
  socket.write(piece("two"));
  socket.write(LAST);
  const responses = (await Promise.all([...early, late])).map(parseResponse);
  expect(responses.map(({ body }) => body)).toEqual(responses.map(() => "onetwo"));
  expect(responses.map(({ cache }) => cache).sort()).toEqual([...Array(10).fill("HIT"), "MISS"]);
  expect(provider.sockets.length).toBe(1);

  const leader = responses.find(({ cache }) => cache === "MISS")!;
  for (const { id, cache } of responses) {
    const recorded = await gateway.spool.ended(id);
    expect(recorded.responseBody.toString()).toBe("onetwo");
    expect(recorded.head?.cacheReferenceId).toBe(cache === "HIT" ? leader.id : undefined);
  }
  expect(gateway.spool.problems).toEqual([]);
});

test("the call continues when the one that made it leaves, and its response is kept", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const text = requestText(provider.origin);
  const leader = net.connect(gateway.port, "127.0.0.1");
  leader.write(text);
  const socket = await provider.socketAt(1);
  const follower = exchangeRaw(gateway.port, text);
  await inFlight(gateway, 2);
  socket.write(STREAM + piece("one"));
  leader.destroy();
  await gateway.spool.until(() =>
    [...gateway.spool.exchanges.values()].find((one) => one.end?.outcome === "client_gone"),
  );
  socket.write(piece("two") + LAST);
  expect(parseResponse(await follower)).toMatchObject({ cache: "HIT", body: "onetwo" });
  expect(await ask(gateway, provider.origin)).toMatchObject({ cache: "HIT", body: "onetwo" });
  expect(provider.sockets.length).toBe(1);
});

test("the call ends when the last of them leaves", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const clients = [1, 2, 3].map(() => net.connect(gateway.port, "127.0.0.1"));
  for (const client of clients) client.write(requestText(provider.origin));
  const socket = await provider.socketAt(1);
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await inFlight(gateway, 3);
  socket.write(STREAM + piece("one"));
  for (const client of clients) client.destroy();
  await closed;
  expect(provider.sockets.length).toBe(1);
});

test("a failure is shared as well, and is no hit", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const pending = [1, 2].map(() => exchangeRaw(gateway.port, requestText(provider.origin)));
  const socket = await provider.socketAt(1);
  await inFlight(gateway, 2);
  socket.write("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy");
  const responses = (await Promise.all(pending)).map(parseResponse);
  expect(responses.map(({ status, cache, body }) => [status, cache, body])).toEqual(
    Array(2).fill([503, "MISS", "busy"]),
  );
  const again = exchangeRaw(gateway.port, requestText(provider.origin));
  const next = await Promise.race([provider.socketAt(2), again.then(() => undefined)]);
  next?.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  expect(parseResponse(await again)).toMatchObject({ cache: "MISS", body: "ok" });
});

test("a connection that breaks breaks off for all, and each is recorded so", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const pending = [1, 2].map(() => exchangeRaw(gateway.port, requestText(provider.origin)));
  const socket = await provider.socketAt(1);
  await inFlight(gateway, 2);
  socket.end("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf");
  const responses = (await Promise.all(pending)).map(parseResponse);
  for (const { id, body } of responses) {
    expect(body).toBe("half");
    expect((await gateway.spool.ended(id)).end).toMatchObject({ outcome: "upstream_failed", status: 502 });
  }
});

test("a call that the provider leaves without a response is joined no longer than one may take", async () => {
  using home = ownHome();
  await using gateway = await home.gateway({ config: { upstream_timeout_seconds: 3 } });
  await using provider = await handProvider();
  const leader = ask(gateway, provider.origin);
  await provider.socketAt(1);
  const follower = ask(gateway, provider.origin);
  await inFlight(gateway, 2);
  expect((await leader).status).toBe(504);
  const later = ask(gateway, provider.origin);
  (await provider.socketAt(2)).write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine");
  expect(await later).toMatchObject({ status: 200, body: "fine" });
  await follower;
});

test("a client that takes nothing holds neither the provider nor the others back", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const stuck = net.connect(gateway.port, "127.0.0.1");
  stuck.write(requestText(provider.origin));
  stuck.pause();
  const socket = await provider.socketAt(1);
  const other = exchangeRaw(gateway.port, requestText(provider.origin));
  await inFlight(gateway, 2);
  const body = "x".repeat(9_000_000);
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  expect(parseResponse(await other).body.length).toBe(body.length);
  stuck.destroy();
});

test("beyond the size of an entry a response still reaches everyone, and is neither kept nor joined", async () => {
  using home = ownHome();
  await using gateway = await home.gateway({ config: { cache_max_entry_bytes: 1_000 } });
  await using provider = await handProvider();
  const pending = [1, 2, 3].map(() => exchangeRaw(gateway.port, requestText(provider.origin)));
  const socket = await provider.socketAt(1);
  await inFlight(gateway, 3);
  const body = "y".repeat(3_000_000);
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  for (const response of (await Promise.all(pending)).map(parseResponse)) expect(response.body).toBe(body);
  const again = exchangeRaw(gateway.port, requestText(provider.origin));
  const next = await provider.socketAt(2);
  next.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  expect(parseResponse(await again).cache).toBe("MISS");
});

test("a bucket of three misses until three are stored, also at once, and then returns one of them", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const asking = { headers: { "Gateway-Cache-Bucket-Max-Size": "3" } };
  const first = await Promise.all(Array.from({ length: 8 }, () => ask(gateway, provider.origin, asking)));
  expect(first.filter(({ cache }) => cache === "MISS").length).toBe(3);
  expect(provider.calls).toBe(3);
  const places = new Map<string, string>();
  for (let turn = 0; turn < 60; turn++) {
    const { cache, place, body } = await ask(gateway, provider.origin, asking);
    expect(cache).toBe("HIT");
    expect(places.get(place) ?? body).toBe(body);
    places.set(place, body);
  }
  expect([...places.keys()].sort()).toEqual(["0", "1", "2"]);
  expect(new Set(places.values()).size).toBe(3);
});

test("a bucket misses one by one until it is full", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const seen: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const asking = { headers: { "Gateway-Cache-Bucket-Max-Size": "2" } };
    seen.push((await ask(gateway, provider.origin, asking)).cache);
  }
  expect(seen).toEqual(["MISS", "MISS", "HIT", "HIT"]);
});

/** Hooks that let so many requests through to providers. */
function admitting(most: number) {
  let calls = 0;
  return {
    has: () => true,
    onRequest: () => undefined,
    onForward: async (): Promise<Json> => {
      await Promise.resolve();
      return ++calls > most ? { status: 429, code: "rate_limited", message: "spent" } : undefined;
    },
    onEnd: () => undefined,
    get calls() {
      return calls;
    },
  };
}

test("hits and requests that share a call use up no limit", async () => {
  using home = ownHome();
  const hooks = admitting(1);
  await using gateway = await home.gateway({ hooks });
  await using provider = await countingProvider();
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(gateway, provider.origin)));
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await ask(gateway, provider.origin)).cache).toBe("HIT");
  expect(hooks.calls).toBe(1);
  const refused = await ask(gateway, provider.origin, { body: "{}" });
  expect([refused.status, refused.cache]).toEqual([429, "MISS"]);
});

test("if the request that would call is refused, those that wait for it are decided in its place", async () => {
  using home = ownHome();
  const hooks = admitting(0);
  await using gateway = await home.gateway({ hooks });
  await using provider = await countingProvider();
  const responses = await Promise.all(Array.from({ length: 5 }, () => ask(gateway, provider.origin)));
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(429));
  expect(provider.calls).toBe(0);
  for (const { id } of responses) expect((await gateway.spool.ended(id)).end?.outcome).toBe("refused");
});

test("a burst of hits gets whole responses, and leaves no file open", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider("200 OK", `X-Padding: ${"p".repeat(2_000)}\r\n`);
  await ask(gateway, provider.origin);
  const responses = await Promise.all(Array.from({ length: 300 }, () => ask(gateway, provider.origin)));
  expect(responses.every(({ cache, body }) => cache === "HIT" && body === '{"answer":1}')).toBe(true);
  const open = () => readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`).includes(home.path));
  // The last of them closes once its response has left.
  await eventually(open).toEqual([]);
});

/** What a descriptor points at; one may close while they are listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
