import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { chance } from "../chance.ts";
import { MessageReader, type RawUpstream, startRawUpstream, statusOf } from "./raw.ts";
import { gatewayHeaders, KEY, startWeir, type Weir, within } from "./weir.ts";

let upstream: RawUpstream;
let weir: Weir;

beforeAll(async () => {
  upstream = await startRawUpstream(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  weir = await startWeir({ env: { WEIR_MAX_BODY_BYTES: "1000000" } });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const LISTENERS = ["gatewayPort", "apiPort"] as const;

/** Both listeners serve an ordinary request. */
async function stillServing(): Promise<void> {
  const response = await fetch(`${weir.gateway}/v1/alive`, {
    headers: gatewayHeaders(upstream.origin),
    keepalive: false,
  });
  expect(await response.text()).toBe("ok");
  expect((await fetch(`${weir.api}/healthz`, { keepalive: false })).status).toBe(200);
}

test("a small body that is nested deeply is refused without becoming a large text", async () => {
  const most = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${weir.pid}/status`, "utf8"))![1]) / 1024;
  const before = most();
  const response = await fetch(`${weir.api}/v1/session`, {
    method: "POST",
    headers: { Origin: weir.api, "Content-Type": "application/json" },
    body: "[".repeat(8_000) + "]".repeat(8_000),
  });
  expect([response.status, (await response.json()).message]).toEqual([400, "give an object"]);
  expect(most() - before).toBeLessThan(100); // MB
});

/** Sends bytes, ends the sending side, and returns everything received until the other side ends as well. */
async function send(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  let seen = "";
  const ended = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      seen += chunk.toString("latin1");
    });
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
  });
  socket.end(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await within(ended, 180_000, () => `the connection stays open after: ${seen}`);
  return seen;
}

const key = `Gateway-Auth: Bearer ${KEY}\r\nAuthorization: Bearer ${KEY}\r\n`;
const target = () => `Gateway-Target-Url: ${upstream.origin}\r\n`;

const MALFORMED: readonly (readonly [string, string | Buffer])[] = [
  ["random bytes", chance("random bytes").bytes(4_096)],
  ["a TLS hello", Buffer.from("1603010200010001fc0303", "hex")],
  ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["only line ends", "\r\n".repeat(200)],
  ["no version", "GET /\r\n\r\n"],
  ["HTTP/0.9", "GET /\r\n"],
  ["line feeds alone", "GET / HTTP/1.1\nHost: x\n\n"],
  ["HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n"],
  ["HTTP/9.9", "GET / HTTP/9.9\r\nHost: x\r\n\r\n"],
  ["no host", "GET / HTTP/1.1\r\n\r\n"],
  ["two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
  ["an unknown method", "FROBNICATE / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a lower-case method", "get / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["CONNECT", "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a header without colon", "GET / HTTP/1.1\r\nHost: x\r\nnocolon\r\n\r\n"],
  ["a header with a space in its name", "GET / HTTP/1.1\r\nHost: x\r\nbad name: 1\r\n\r\n"],
  ["a NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nx: a\u0000b\r\n\r\n"],
  ["a folded header", "GET / HTTP/1.1\r\nHost: x\r\nx: a\r\n b\r\n\r\n"],
  ["a bare CR", "GET / HTTP/1.1\r\nHost: x\r\nx: a\rb\r\n\r\n"],
  ["a path with a space", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a path with control bytes", "GET /a\u0001b HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a huge header", `GET / HTTP/1.1\r\nHost: x\r\nx: ${"a".repeat(400_000)}\r\n\r\n`],
  ["a huge path", `GET /${"a".repeat(400_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ["5,000 headers", `GET / HTTP/1.1\r\nHost: x\r\n${"x: 1\r\n".repeat(5_000)}\r\n`],
  ["a length that is no number", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n"],
  ["a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
  ["a length beyond all numbers", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"],
  ["a bad chunk size", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"],
  ["a chunk size without end", `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${"f".repeat(5_000)}`],
];

describe.each(LISTENERS)("%s", (listener) => {
  test.each(MALFORMED)("survives %s and responds only with a JSON error", async (_name, bytes) => {
    const seen = await send(weir[listener], bytes);
    for (const response of seen.split(/(?=HTTP\/1\.1 \d{3} )/).filter(Boolean)) {
      expect(response).toMatch(/^HTTP\/1\.1 [45]\d\d /);
      const body = response.slice(response.indexOf("\r\n\r\n") + 4);
      if (body !== "") expect(Object.keys(JSON.parse(body))).toContain("error");
      expect(response).not.toMatch(/node_modules|\.ts:\d|at async/);
    }
    await stillServing();
  });
});

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
const SMUGGLING: readonly (readonly [string, string])[] = [
  ["length and chunked", `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  [
    "chunked and length",
    `Transfer-Encoding: chunked\r\nContent-Length: ${SMUGGLED.length + 5}\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ["two lengths", `Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ["two lengths in one line", `Content-Length: 0, ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ["a signed length", `Content-Length: +${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ["a hexadecimal length", `Content-Length: 0x10\r\n\r\n${SMUGGLED}`],
  ["chunked in disguise", `Transfer-Encoding: xchunked\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ["chunked twice", `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ["gzip, chunked", `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ["chunked, identity", `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ["a space before the colon", `Transfer-Encoding : chunked\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ["a tab in the coding", `Transfer-Encoding:\tchunked\u000b\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ["a bare line feed", `X: y\nTransfer-Encoding: chunked\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
  ["a chunk longer than it says", `Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n${SMUGGLED}`],
  ["a chunk size with a line feed only", `Transfer-Encoding: chunked\r\n\r\n5\nabcde\n0\r\n\r\n${SMUGGLED}`],
];

test.each(SMUGGLING)("no second request is smuggled through %s", async (_name, rest) => {
  const before = upstream.received.length;
  await send(weir.gatewayPort, `POST /first HTTP/1.1\r\nHost: x\r\n${key}${target()}${rest}`);
  const arrived = upstream.received.slice(before).map(({ startLine }) => startLine);
  expect(arrived.filter((line) => line.includes("/smuggled"))).toEqual([]);
  expect(arrived.length).toBeLessThanOrEqual(1);
  await stillServing();
});

test("an absolute-form target leads to no other host", async () => {
  await send(weir.gatewayPort, `GET http://10.0.0.1/x HTTP/1.1\r\nHost: x\r\n${key}${target()}\r\n`);
  await stillServing();
  for (const { startLine } of upstream.received) expect(startLine).not.toContain("10.0.0.1");
});

test.each([
  ["with a length", "Content-Length: 2000000\r\n\r\n"],
  ["chunked", "Transfer-Encoding: chunked\r\n\r\n"],
])("a body over the limit, %s, is a 413 in JSON", async (name, head) => {
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  socket.on("error", () => socket.destroy());
  const reader = new MessageReader(socket);
  socket.write(`POST /big HTTP/1.1\r\nHost: x\r\n${key}${target()}${head}`);
  const piece = name === "chunked" ? `10000\r\n${"x".repeat(65_536)}\r\n` : "x".repeat(65_536);
  for (let sent = 0; sent < 31 && !socket.destroyed; sent += 1) socket.write(piece);
  const response = await reader.response("POST");
  expect(statusOf(response!)).toBe(413);
  expect(JSON.parse(response!.body.toString())).toMatchObject({ error: { code: "body_too_large" } });
  socket.destroy();
  await stillServing();
});

test.each([
  ["Gateway-Request-Id: not-a-uuid", "invalid_header"],
  ["Gateway-Property-: x", "invalid_header"],
  ["Gateway-Target-Url: http://127.0.0.1:1/path", "invalid_target"],
])("%s is refused, not ignored", async (line, code) => {
  const own = line.startsWith("Gateway-Target-Url") ? "" : target();
  const seen = await send(weir.gatewayPort, `GET /x HTTP/1.1\r\nHost: x\r\n${key}${own}${line}\r\n\r\n`);
  expect(seen).toStartWith("HTTP/1.1 400 ");
  expect(seen).toContain(`"code":"${code}"`);
});

test("hundreds of clients that send a byte now and then delay no other client", async () => {
  const sockets = Array.from({ length: 300 }, (_none, index) =>
    connect({ port: index % 2 === 0 ? weir.gatewayPort : weir.apiPort, host: "127.0.0.1" }),
  );
  for (const socket of sockets) socket.on("error", () => socket.destroy());
  await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, "connect") : undefined)));
  for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHo");
  for (let round = 0; round < 5; round += 1) {
    for (const socket of sockets) if (socket.writable) socket.write("s");
    await stillServing();
  }
  for (const socket of sockets) socket.destroy();
  await stillServing();
});

test.each([
  ["no JSON", "POST", "/v1/request/query-ids", "{", 400],
  ["a wrong type", "POST", "/v1/request/query-ids", '{"requestIds":"x"}', 400],
  ["no UUID", "POST", "/v1/request/query-ids", '{"requestIds":["x"]}', 400],
  ["deep nesting", "POST", "/v1/request/query-ids", `{"requestIds":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, 400],
  ["a prototype", "POST", "/v1/request/query-ids", '{"__proto__":{"requestIds":[]}}', 400],
  ["an unknown path", "GET", "/v1/nothing", undefined, 404],
  ["another method", "DELETE", "/v1/request/query-ids", undefined, 405],
  ["a path in place of an id", "GET", "/v1/request/..%2f..%2fetc", undefined, 404],
  ["too large a body", "POST", "/v1/request/query-ids", `{"requestIds":["${"x".repeat(11_000_000)}"]}`, 413],
])("the API returns %s in its envelope", async (_name, method, path, body, status) => {
  const response = await fetch(weir.api + path, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body }),
    keepalive: false,
  });
  const said = await response.json();
  expect([response.status, said.error, said.data]).toEqual([status, status, []]);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test("no browser takes what records hold for a page", async () => {
  const response = await fetch(`${weir.api}/v1/request/query-fast`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: '{"filter":"all"}',
    keepalive: false,
  });
  expect([response.status, response.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
});
