import { expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { startProvider } from "../../raw-http.ts";
import { gatewayHeaders, KEY, keySnapshot, once } from "../harness.ts";
import { ask, chunksOf, countingProvider, handProvider, ownHome } from "./asking.ts";

test("the second of two equal requests is served from the cache, and recorded as its own request", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const startedAt = Date.now();
  const first = await ask(gateway, provider.origin);
  const second = await ask(gateway, provider.origin);
  expect([first.cache, first.body, first.place]).toEqual(["MISS", '{"answer":1}', ""]);
  expect([second.cache, second.body, second.place]).toEqual(["HIT", '{"answer":1}', "0"]);
  expect(second.head).toContain("Content-Type: application/json");
  expect(provider.calls).toBe(1);

  const recorded = await gateway.spool.ended(second.id);
  expect(recorded.head).toMatchObject({ status: 200, cacheReferenceId: first.id });
  expect(recorded.head!.cacheCreatedAt!).toBeWithin(startedAt, Date.now() + 1);
  expect(recorded.requestBody.toString()).toBe('{"model":"m-1","n":1}');
  expect(recorded.responseBody.toString()).toBe('{"answer":1}');
  expect(recorded.end).toMatchObject({ outcome: "complete" });
  expect(recorded.end?.forwardedAt).toBeUndefined();
  expect((await gateway.spool.ended(first.id)).head?.cacheReferenceId).toBeUndefined();
  expect(gateway.spool.problems).toEqual([]);
});

test("a request that does not ask gets no word of the cache, and its response is not kept", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const off = { headers: { "Gateway-Cache-Enabled": "false" } };
  expect((await ask(gateway, provider.origin, off)).cache).toBe("");
  expect((await ask(gateway, provider.origin)).cache).toBe("MISS");
  expect((await ask(gateway, provider.origin, off)).body).toBe('{"answer":3}');
});

test.each([
  ["a GET without a body", { method: "GET" }, { method: "GET" }],
  ["members in another order, with white space", { body: '{"a":1,"b":[1,2]}' }, { body: '{ "b" : [1, 2],\n"a":1 }' }],
  ["another spelling of the same text", { body: '{"a":"é"}' }, { body: '{"a":"\\u00e9"}' }],
  [
    "ignored members, at the top and inside",
    { body: '{"a":1,"t":5,"m":{"id":1,"k":2}}', headers: { "Gateway-Cache-Ignore-Keys": "t, m.id" } },
    { body: '{"a":1,"m":{"k":2,"id":9}}', headers: { "Gateway-Cache-Ignore-Keys": "t,m.id" } },
  ],
  ["other headers", { headers: { "User-Agent": "a" } }, { headers: { "User-Agent": "b", "X-Trace": "1" } }],
  ["a body that is no JSON", { body: "a=1&b=2" }, { body: "a=1&b=2" }],
  ["the flags one by one", {}, { headers: { "Gateway-Cache-Enabled": "false", "Gateway-Cache-Read": "TRUE" } }],
])("equal to the cache are: %s", async (_name, one, other) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  expect((await ask(gateway, provider.origin, one)).cache).toBe("MISS");
  expect((await ask(gateway, provider.origin, other)).cache).toBe("HIT");
});

test.each([
  ["seeds", { headers: { "Gateway-Cache-Seed": "a" } }, { headers: { "Gateway-Cache-Seed": "b" } }],
  ["methods", { method: "POST" }, { method: "PUT" }],
  ["paths", { path: "/v1/a" }, { path: "/v1/b" }],
  ["queries", { path: "/v1/a?x=1" }, { path: "/v1/a?x=2" }],
  ["credentials", { headers: { Authorization: "Bearer a" } }, { headers: { Authorization: "Bearer b" } }],
  ["credentials in another header", { headers: { "x-api-key": "a" } }, { headers: { "x-api-key": "b" } }],
  [
    "credentials in a header of their own",
    { headers: { "X-Mine": "Bearer a" } },
    { headers: { "X-Mine": "Bearer b" } },
  ],
  ["places of a credential", { headers: { "x-api-key": "a" } }, { headers: { "api-key": "a" } }],
  ["keys in the query", { path: "/v1/a?key=1" }, { path: "/v1/a?key=2" }],
  ["encodings", { headers: { "Accept-Encoding": "gzip" } }, { headers: { "Accept-Encoding": "br" } }],
  ["values", { body: '{"a":1}' }, { body: '{"a":2}' }],
  ["numbers beyond what a double holds", { body: '{"a":9007199254740993}' }, { body: '{"a":9007199254740992}' }],
  ["members of one name", { body: '{"a":1,"a":2}' }, { body: '{"a":2}' }],
  ["orders in a list", { body: "[1,2]" }, { body: "[2,1]" }],
  ["bytes that are no JSON", { body: "a=1" }, { body: "a=1 " }],
  ["organizations", { key: KEY }, { key: "sk-weir-us-other" }],
])("never equal to the cache are different %s", async (_name, one, other) => {
  using home = ownHome();
  const keys = [keySnapshot(KEY), keySnapshot("sk-weir-us-other", { organizationId: "org-2" })];
  await using gateway = await home.gateway({ keys });
  await using provider = await countingProvider();
  expect((await ask(gateway, provider.origin, one)).cache).toBe("MISS");
  expect((await ask(gateway, provider.origin, other)).cache).toBe("MISS");
  expect(provider.calls).toBe(2);
});

test.each([
  ["a failure", "500 Internal Server Error"],
  ["a refusal", "429 Too Many Requests"],
  ["a redirect", "302 Found"],
  ["a part", "206 Partial Content"],
])("%s is not kept", async (_name, status) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider(status);
  await ask(gateway, provider.origin);
  expect(await ask(gateway, provider.origin)).toMatchObject({ cache: "MISS", body: '{"answer":2}' });
});

const FAILS = 'event: error\ndata: {"type":"error"}\n\n';
const SAYS = 'data: {"choices":[{"delta":{"content":"\\"error\\": {"}}],"error":null}\n\ndata: [DONE]\n\n';

test.each([
  ["fails inside", FAILS, "MISS"],
  ["fails behind what it said", `${SAYS}data: {"error":{"message":"overloaded"}}\n\n`, "MISS"],
  ["fails as a response", 'event: response.failed\r\ndata: {"type":"response.failed"}\r\n\r\n', "MISS"],
  ["only speaks of failures", SAYS, "HIT"],
])("the response to a repeated request after a stream of status 200 that %s", async (_name, events, cache) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${events.length}\r\n\r\n`;
  await using provider = await startProvider(({ socket }) => socket.write(head + events));
  await ask(gateway, provider.origin);
  expect((await ask(gateway, provider.origin)).cache).toBe(cache);
});

const CODERS: Readonly<Record<string, (text: string | Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  "identity, gzip": gzipSync,
  "gzip, br": (text) => brotliCompressSync(gzipSync(text)),
};
/** More than is looked at in the gateway's own thread. */
const MUCH = Array.from({ length: 40_000 }, (_, at) => `data: {"n":${at * 7_919}}\n\n`).join("");

test.each(
  Object.keys(CODERS).flatMap((coding) => [
    [coding, "fails", FAILS, "MISS"] as const,
    [coding, "fails behind what it said", SAYS + FAILS, "MISS"] as const,
    [coding, "only speaks of failures", SAYS, "HIT"] as const,
  ]),
)("the response to a repeated request after a stream coded as %s that %s", async (coding, _what, events, cache) => {
  expect(await askTwice(CODERS[coding]!(events), coding)).toBe(cache);
});

test.each([
  ["fails at its end", MUCH + FAILS, "MISS"],
  ["does not fail", MUCH, "HIT"],
])("the response to a repeated request after a long coded stream that %s", async (_what, events, cache) => {
  expect(await askTwice(gzipSync(events), "gzip")).toBe(cache);
});

test.each([
  ["in an unknown coding", Buffer.from(SAYS), "rot13"],
  ["whose coding is not whole", gzipSync(SAYS).subarray(0, -9), "gzip"],
])("a stream %s is not kept", async (_what, body, coding) => {
  expect(await askTwice(body, coding)).toBe("MISS");
});

test.each([
  ["lines of JSON", "application/x-ndjson", '{"response":"a"}\n{"error":"out of memory"}\n'],
  ["messages of AWS", "application/vnd.amazon.eventstream", "\0\x0f:exception-type\x07\0\x13throttlingException"],
])("%s that end in a failure are not kept", async (_what, type, body) => {
  expect(await askTwice(Buffer.from(body, "latin1"), "identity", type)).toBe("MISS");
});

/** What the cache says to the second of two equal requests. */
async function askTwice(body: Buffer, coding: string, type = "text/event-stream"): Promise<string> {
  using home = ownHome();
  await using gateway = await home.gateway();
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Encoding: ${coding}\r\n`;
  await using provider = await startProvider(({ socket }) => {
    socket.write(`${head}Content-Length: ${body.byteLength}\r\n\r\n`);
    socket.write(body);
  });
  const first = await ask(gateway, provider.origin);
  expect(first.body).toBe(body.toString("latin1"));
  return (await ask(gateway, provider.origin)).cache;
}

test("a response that broke off is not kept", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await startProvider(({ socket }) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
  );
  await ask(gateway, provider.origin);
  expect((await ask(gateway, provider.origin)).cache).toBe("MISS");
});

test("a stream is played again piece by piece, byte for byte", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  const pieces = ["data: one\n\n", "data: two", "\n\n", "data: [DONE]\n\n"];
  await using provider = await handProvider();
  const pending = ask(gateway, provider.origin);
  const socket = await provider.socketAt(1);
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const [at, piece] of pieces.entries()) {
    socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    const sent = pieces.slice(0, at + 1).join("");
    await gateway.spool.until(() =>
      [...gateway.spool.exchanges.values()].some(({ responseBody }) => responseBody.toString() === sent),
    );
  }
  socket.write("0\r\n\r\n");
  const first = await pending;
  const second = await ask(gateway, provider.origin);
  expect(second.cache).toBe("HIT");
  expect(chunksOf(second.wire)).toEqual(chunksOf(first.wire));
  expect(chunksOf(second.wire)).toEqual(pieces);
  expect(second.head).toContain("Content-Type: text/event-stream");
});

test("cookies and other secrets of a response are not given to another request", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider("200 OK", "Set-Cookie: sid=1\r\nX-Session-Token: t\r\nX-Kept: yes\r\n");
  expect((await ask(gateway, provider.origin)).head).toContain("Set-Cookie: sid=1");
  const { head, cache } = await ask(gateway, provider.origin);
  expect(cache).toBe("HIT");
  expect(head).toContain("X-Kept: yes");
  expect(head).not.toMatch(/cookie|token/i);
});

test.each([
  ["Read alone finds and does not keep", { "Gateway-Cache-Read": "true" }, ["MISS", "MISS"]],
  ["Save alone keeps and does not find", { "Gateway-Cache-Save": "true" }, ["MISS", "MISS", "HIT"]],
  ["no-cache refreshes", { "Gateway-Cache-Enabled": "true", "Cache-Control": "no-cache" }, ["MISS", "MISS", "HIT"]],
  ["no-store does neither", { "Gateway-Cache-Enabled": "true", "Cache-Control": "no-store" }, ["MISS", "MISS", "MISS"]],
  [
    "an omitted response is written nowhere",
    { "Gateway-Cache-Enabled": "true", "Gateway-Omit-Response": "true" },
    ["MISS", "MISS", "MISS"],
  ],
])("%s", async (_name, headers, expected) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const asking = { headers: { "Gateway-Cache-Enabled": "false", ...headers } };
  const seen = [
    (await ask(gateway, provider.origin, asking)).cache,
    (await ask(gateway, provider.origin, asking)).cache,
  ];
  if (expected.length === 3) seen.push((await ask(gateway, provider.origin)).cache);
  expect(seen).toEqual(expected);
});

test("Save alone replaces what is stored", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  await ask(gateway, provider.origin);
  await ask(gateway, provider.origin, { headers: { "Gateway-Cache-Enabled": "false", "Gateway-Cache-Save": "true" } });
  expect((await ask(gateway, provider.origin)).body).toBe('{"answer":2}');
});

test.each([
  ["Gateway-Cache-Enabled: yes", '"true" or "false"'],
  ["Gateway-Cache-Read: 1", '"true" or "false"'],
  ["Gateway-Cache-Bucket-Max-Size: 0", "from 1 to 20"],
  ["Gateway-Cache-Bucket-Max-Size: 21", "from 1 to 20"],
  ["Gateway-Cache-Bucket-Max-Size: two", "from 1 to 20"],
  ["Gateway-Cache-Ignore-Keys: a,,b", "names separated by commas"],
  ["Cache-Control: max-age=soon", "whole number of seconds"],
  ["Cache-Control: max-age=-1", "whole number of seconds"],
])("%s is refused, saying what is allowed", async (line, allowed) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const on = line.startsWith("Gateway-Cache-Enabled") ? "" : "Gateway-Cache-Enabled: true\r\n";
  const response = await once(gateway, "GET /", gatewayHeaders(provider.origin, `${on}${line}\r\n`));
  expect(response.slice(9, 12)).toBe("400");
  expect(JSON.parse(response.slice(response.indexOf("{"))).error).toMatchObject({ code: "invalid_header" });
  expect(response.replaceAll("\\", "")).toContain(allowed);
});

test("a max-age that cannot be read is left to the provider if the cache is off", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const response = await once(gateway, "GET /", gatewayHeaders(provider.origin, "Cache-Control: max-age=soon\r\n"));
  expect(response.slice(9, 12)).toBe("200");
});

test("a large body is read as a small one is, without holding up other requests", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const items = Array.from({ length: 40_000 }, (_, at) => ({ b: at, a: [1, { d: null, c: "x" }] }));
  const one = { body: JSON.stringify({ t: 1, items, model: "m-1" }), headers: { "Gateway-Cache-Ignore-Keys": "t" } };
  const other = { ...one, body: JSON.stringify({ model: "m-1", t: 2, items }, null, 1) };
  const large = ask(gateway, provider.origin, one);
  let quick = 0;
  const small = (async () => {
    for (; quick < 5; quick++) await ask(gateway, provider.origin, { path: `/${quick}` });
  })();
  expect((await large).cache).toBe("MISS");
  await small;
  expect((await ask(gateway, provider.origin, other)).cache).toBe("HIT");
  expect((await gateway.cacheEntries("org-1", { limit: 1, offset: 0 }))[0]?.model).toBe("m-1");
});
