import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { METHODS } from "node:http";
import {
  chunkedBody,
  exchange,
  type RawMessage,
  type RawUpstream,
  startRawUpstream,
  statusOf,
  valuesOf,
} from "./raw.ts";
import { KEY, startWeir, type Weir } from "./weir.ts";

let upstream: RawUpstream;
let weir: Weir;

beforeAll(async () => {
  upstream = await startRawUpstream(({ startLine }) =>
    startLine.startsWith("HEAD ") ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  );
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

/** Header fields that a proxy may change by their nature: those of the connection, and of the body's framing. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "proxy-connection",
  "content-length",
  "transfer-encoding",
]);

/** The fields whose meaning must pass unchanged, repeated ones joined, by lower-case name. */
function meaning(headers: RawMessage["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (OF_THE_CONNECTION.has(key)) continue;
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`;
  }
  return joined;
}

const auth = () => `Gateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: ${upstream.origin}\r\n`;

/** Sends one request through Weir and returns what the upstream read of it. */
async function passed(request: string | Buffer | readonly (string | Buffer)[], method = "GET"): Promise<RawMessage> {
  const before = upstream.received.length;
  const response = await exchange(weir.gatewayPort, request, { method });
  expect(response === undefined ? "no answer" : `${statusOf(response)} ${response.body}`).toBe(
    method === "HEAD" ? "200 " : "200 ok",
  );
  expect(upstream.received.length).toBe(before + 1);
  return upstream.received[before]!;
}

test.each(METHODS.filter((method) => method !== "CONNECT"))("the method %s passes", async (method) => {
  const seen = await passed(
    `${method} /v1/things?x=1 HTTP/1.1\r\nHost: weir\r\n${auth()}Content-Length: 4\r\n\r\nbody`,
    method,
  );
  expect(seen.startLine).toBe(`${method} /v1/things?x=1 HTTP/1.1`);
  expect(seen.body.toString()).toBe("body");
});

test.each([
  "/",
  "/?",
  "//double//slash",
  "/a%2Fb/%2f/%E2%82%AC/%e2%82%ac",
  "/trailing/",
  "/percent%25/%zz/%",
  "/semi;colon=1/comma,a/at@b/plus+c",
  "/brackets[0]/{curly}/pipe|/caret^/tick`",
  "/back\\slash",
  "/quote'\"<>",
  "/dots.../..a/a../.hidden",
  "/q?a=1&a=2&&=&b",
  "/q?url=https://x.test/../y?z=%20%2B+",
  "/q?a=..%2F..%2F&b=/../",
  "/models/gemini-pro:streamGenerateContent?alt=sse",
  "/~user/!$&'()*",
  `/${"long".repeat(2_000)}`,
])("the path %s passes byte for byte", async (path) => {
  const seen = await passed(`GET ${path} HTTP/1.1\r\nHost: weir\r\n${auth()}\r\n`);
  expect(seen.startLine).toBe(`GET ${path} HTTP/1.1`);
});

test.each(["/a/../b", "/a/..", "/./a", "/a/%2e/b", "/a/%2E%2e/b", "/a/.%2e/b", "/caf\u00e9"])(
  "the path %s is refused, never normalised",
  async (path) => {
    const before = upstream.received.length;
    const response = await exchange(weir.gatewayPort, `GET ${path} HTTP/1.1\r\nHost: weir\r\n${auth()}\r\n`);
    expect(statusOf(response!)).toBe(400);
    expect(upstream.received.length).toBe(before);
  },
);

test("header fields pass with their values exact, and nothing is added or missing", async () => {
  const sent: [string, string][] = [
    ["Host", "weir.test:8787"],
    ["accept", "*/*"],
    ["X-Odd-CASE", "  kept inside   spaces "],
    ["x-odd-case", "second"],
    ["X-Empty", ""],
    ["X-Utf8", "gr\u00c3\u00bc\u00c3\u009fe"],
    ["X-Latin1", "caf\u00e9"],
    ["X-Punctuation", 'a:b; c="d, e"; \\"'],
    ["Accept-Encoding", "zstd, br;q=0.9, identity;q=0"],
    ["Content-Type", "application/json; charset=utf-8"],
    ["Authorization", "Bearer sk-provider"],
    ["Cookie", "a=1; b=2"],
    ["Range", "bytes=0-10"],
    ["If-None-Match", 'W/"x"'],
    ["Date", "Mon, 02 Mar 2026 10:00:00 GMT"],
    ["Via", "1.1 client-proxy"],
    ["Forwarded", "for=192.0.2.1"],
    ["X-Forwarded-For", "192.0.2.1"],
    ["x-long", "y".repeat(8_000)],
  ];
  const lines = sent.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const seen = await passed(`GET /h HTTP/1.1\r\n${lines}${auth()}\r\n`);
  const trimmed = sent.map(([name, value]): [string, string] => [name, value.trim()]);
  expect(meaning(seen.headers)).toEqual({ ...meaning(trimmed), host: `127.0.0.1:${upstream.port}` });
});

test("header fields of the connection and those that Connection names stay here", async () => {
  const seen = await passed(
    `GET /hop HTTP/1.1\r\nHost: weir\r\n${auth()}Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\nProxy-Connection: keep-alive\r\nX-Kept: 1\r\n\r\n`,
  );
  expect(meaning(seen.headers)).toEqual({ host: `127.0.0.1:${upstream.port}`, "x-kept": "1" });
  for (const name of ["keep-alive", "te", "proxy-connection", "x-mine"]) expect(valuesOf(seen, name)).toEqual([]);
});

test("no Gateway header in any spelling reaches the provider", async () => {
  const seen = await passed(
    `GET /g HTTP/1.1\r\nHost: weir\r\ngateway-auth: Bearer ${KEY}\r\nGATEWAY-TARGET-URL: ${upstream.origin}\r\nGateway-Property-A: 1\r\ngateway-user-id: u\r\nGateway-Session-Id: s\r\nGateway-Unheard-Of: x\r\n\r\n`,
  );
  expect(meaning(seen.headers)).toEqual({ host: `127.0.0.1:${upstream.port}` });
});

const LARGE = Buffer.alloc(20_000_000);
for (let at = 0; at + 4 <= LARGE.byteLength; at += 4)
  LARGE.writeUInt32LE((Math.imul(at, 2_654_435_761) ^ at) >>> 0, at);
const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test("a body of 20 MB with a length passes byte for byte", async () => {
  const seen = await passed(
    [`POST /up HTTP/1.1\r\nHost: weir\r\n${auth()}Content-Length: ${LARGE.byteLength}\r\n\r\n`, LARGE],
    "POST",
  );
  expect(seen.body.byteLength).toBe(LARGE.byteLength);
  expect(digest(seen.body)).toBe(digest(LARGE));
  expect(valuesOf(seen, "content-length").length + valuesOf(seen, "transfer-encoding").length).toBe(1);
});

test("a chunked body of 20 MB passes byte for byte", async () => {
  const seen = await passed(
    [`POST /up HTTP/1.1\r\nHost: weir\r\n${auth()}Transfer-Encoding: chunked\r\n\r\n`, chunkedBody(LARGE, 70_001)],
    "POST",
  );
  expect(digest(seen.body)).toBe(digest(LARGE));
  expect(seen.complete).toBe(true);
});

test.each([
  ["chunk by chunk of one byte", "Transfer-Encoding: chunked\r\n", chunkedBody(Buffer.from("a body in pieces"), 1)],
  [
    "with chunk extensions and a trailer",
    "Transfer-Encoding: chunked\r\n",
    Buffer.from('7;name="v"\r\na body \r\n9\r\nin pieces\r\n0\r\nX-Trailer: 1\r\n\r\n'),
  ],
])("a chunked body %s passes", async (_name, framing, bytes) => {
  const seen = await passed([`POST /up HTTP/1.1\r\nHost: weir\r\n${auth()}${framing}\r\n`, bytes], "POST");
  expect(seen.body.toString()).toBe("a body in pieces");
});

test.each(["POST", "PUT", "GET", "DELETE"])("%s without a body arrives without a body", async (method) => {
  const seen = await passed(`${method} /none HTTP/1.1\r\nHost: weir\r\n${auth()}\r\n`, method);
  expect(seen.body.byteLength).toBe(0);
  expect(valuesOf(seen, "transfer-encoding")).toEqual([]);
});

test("an empty body with a length stays an empty body", async () => {
  const seen = await passed(`POST /none HTTP/1.1\r\nHost: weir\r\n${auth()}Content-Length: 0\r\n\r\n`, "POST");
  expect(seen.body.byteLength).toBe(0);
});

test("a compressed request body is passed on compressed", async () => {
  const body = Bun.gzipSync(Buffer.from('{"model":"m"}'));
  const seen = await passed(
    [
      `POST /gz HTTP/1.1\r\nHost: weir\r\n${auth()}Content-Encoding: gzip\r\nContent-Length: ${body.byteLength}\r\n\r\n`,
      Buffer.from(body),
    ],
    "POST",
  );
  expect(Buffer.compare(seen.body, Buffer.from(body))).toBe(0);
  expect(valuesOf(seen, "content-encoding")).toEqual(["gzip"]);
});

test("a client that waits for 100 Continue gets it and may send its body", async () => {
  const interim: string[] = [];
  const response = await exchange(
    weir.gatewayPort,
    `POST /expect HTTP/1.1\r\nHost: weir\r\n${auth()}Expect: 100-continue\r\nContent-Length: 4\r\n\r\nbody`,
    { method: "POST", onInterim: (line) => interim.push(line) },
  );
  expect(statusOf(response!)).toBe(200);
  expect(interim).toEqual(["HTTP/1.1 100 Continue"]);
  expect(upstream.received.at(-1)!.body.toString()).toBe("body");
});

test("pipelined requests get responses in order, each with its own id", async () => {
  const { connect } = await import("node:net");
  const { MessageReader } = await import("./raw.ts");
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  const reader = new MessageReader(socket);
  socket.write(
    ["/one", "/two", "/three"].map((path) => `GET ${path} HTTP/1.1\r\nHost: weir\r\n${auth()}\r\n`).join(""),
  );
  const before = upstream.received.length;
  const ids = new Set<string>();
  for (let index = 0; index < 3; index += 1) {
    const response = await reader.response();
    expect(statusOf(response!)).toBe(200);
    ids.add(valuesOf(response!, "gateway-id")[0]!);
  }
  socket.destroy();
  expect(ids.size).toBe(3);
  expect(
    upstream.received
      .slice(before)
      .map(({ startLine }) => startLine.split(" ")[1])
      .sort(),
  ).toEqual(["/one", "/three", "/two"]);
});
