import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
  chunkedBody,
  exchange,
  MessageReader,
  type RawMessage,
  type RawResponse,
  type RawUpstream,
  startRawUpstream,
  statusOf,
  valuesOf,
} from "./raw.ts";
import { bodyPart, KEY, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: RawUpstream;
let weir: Weir;
let rawResponse: RawResponse = "";

beforeAll(async () => {
  upstream = await startRawUpstream(() => rawResponse);
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const request = (method = "GET", path = "/r") =>
  `${method} ${path} HTTP/1.1\r\nHost: weir\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: ${upstream.origin}\r\n\r\n`;

async function passed(bytes: RawResponse, method = "GET"): Promise<RawMessage> {
  rawResponse = bytes;
  const response = await exchange(weir.gatewayPort, request(method), { method });
  expect(response).toBeDefined();
  return response!;
}

/** Header fields less those of the connection and the framing; `set-cookie` stays a list. */
function meaning(message: RawMessage): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const [name, value] of message.headers) {
    const key = name.toLowerCase();
    if (["connection", "keep-alive", "transfer-encoding", "content-length", "trailer"].includes(key)) continue;
    if (key === "set-cookie") fields[key] = [...(fields[key] ?? []), value];
    else fields[key] = [...(fields[key] ?? []), ...value.split(", ")];
  }
  return fields;
}

test("response header fields pass with their values exact; only gateway-id is added", async () => {
  const response = await passed(
    [
      "HTTP/1.1 200 Fine",
      "Content-Type: text/plain",
      "X-Odd-CASE: one",
      "x-odd-case: two",
      "Set-Cookie: a=1; Path=/, odd",
      "Set-Cookie: b=2; Secure",
      "X-Empty:",
      "X-Latin1: caf\u00e9",
      "X-Utf8: gr\u00c3\u00bc\u00c3\u009fe",
      "Server: upstream/1",
      "openai-processing-ms: 12",
      "Connection: X-Hop",
      "X-Hop: 1",
      "Keep-Alive: timeout=5",
      "Proxy-Authenticate: Basic",
      "Content-Length: 5",
      "",
      "hello",
    ].join("\r\n"),
  );
  const { "gateway-id": id, ...others } = meaning(response);
  expect(id).toHaveLength(1);
  expect(id![0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  delete others["proxy-authenticate"];
  expect(others).toEqual({
    "content-type": ["text/plain"],
    "x-odd-case": ["one", "two"],
    "set-cookie": ["a=1; Path=/, odd", "b=2; Secure"],
    "x-empty": [""],
    "x-latin1": ["caf\u00e9"],
    "x-utf8": ["gr\u00c3\u00bc\u00c3\u009fe"],
    server: ["upstream/1"],
    "openai-processing-ms": ["12"],
  });
  expect(response.body.toString()).toBe("hello");
});

test.each([200, 201, 202, 203, 206, 226, 300, 400, 401, 402, 404, 409, 418, 422, 429, 451, 500, 503, 529, 599])(
  "status %d passes with its body",
  async (status) => {
    const response = await passed(`HTTP/1.1 ${status} Said\r\nContent-Length: 2\r\nRetry-After: 3\r\n\r\nno`);
    expect(statusOf(response)).toBe(status);
    expect(response.body.toString()).toBe("no");
    expect(valuesOf(response, "retry-after")).toEqual(["3"]);
  },
);

test.each([301, 302, 303, 307, 308])("redirect %d is passed on, not followed", async (status) => {
  const before = upstream.received.length;
  const response = await passed(`HTTP/1.1 ${status} Go\r\nLocation: /other?a=%2F\r\nContent-Length: 0\r\n\r\n`);
  expect(statusOf(response)).toBe(status);
  expect(valuesOf(response, "location")).toEqual(["/other?a=%2F"]);
  expect(upstream.received.length).toBe(before + 1);
});

test.each([
  ["HEAD with a length", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nETag: x\r\n\r\n", 200],
  ["204", "DELETE", "HTTP/1.1 204 No Content\r\nETag: x\r\n\r\n", 204],
  ["304 with a length", "GET", "HTTP/1.1 304 Not Modified\r\nETag: x\r\nContent-Length: 12345\r\n\r\n", 304],
])("%s has no body and leaves the connection usable", async (_name, method, bytes, status) => {
  rawResponse = bytes;
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  const reader = new MessageReader(socket);
  for (let round = 0; round < 2; round += 1) {
    socket.write(request(method));
    const response = await reader.response(method);
    expect(statusOf(response!)).toBe(status);
    expect(valuesOf(response!, "etag")).toEqual(["x"]);
    if (method === "HEAD") expect(valuesOf(response!, "content-length")).toEqual(["12345"]);
  }
  socket.destroy();
});

const TEXT = JSON.stringify({ id: "x", text: "the same words again and again ".repeat(400) });

test.each([
  ["gzip", gzipSync(TEXT)],
  ["br", brotliCompressSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["zstd", zstdCompressSync(TEXT)],
])("a response in %s stays in it byte for byte, and is recorded decoded", async (coding, body) => {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: ${coding}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const response = await passed(Buffer.concat([Buffer.from(head), chunkedBody(body, 100)]));
  expect(valuesOf(response, "content-encoding")).toEqual([coding]);
  expect(Buffer.compare(response.body, body)).toBe(0);
  const record = await recordOf(weir, valuesOf(response, "gateway-id")[0]!);
  expect(record["response_body"]).toEqual(JSON.parse(TEXT));
});

const LARGE = Buffer.alloc(20_000_000);
for (let at = 0; at + 4 <= LARGE.byteLength; at += 4) LARGE.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at);
const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test.each([
  ["with a length", `Content-Length: ${LARGE.byteLength}`, () => LARGE],
  ["chunked", "Transfer-Encoding: chunked", () => chunkedBody(LARGE, 65_537)],
])(
  "a response of 20 MB %s passes byte for byte, and its record is marked as truncated",
  async (_name, framing, body) => {
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n${framing}\r\n\r\n`);
    const response = await passed(Buffer.concat([head, body()]));
    expect(response.complete).toBe(true);
    expect(digest(response.body)).toBe(digest(LARGE));
    const record = await recordOf(weir, valuesOf(response, "gateway-id")[0]!);
    expect(record).toMatchObject({ truncated: true, response_status: 200 });
  },
);

test("a response framed by the end of its connection passes", async () => {
  const response = await passed((socket) => {
    socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nuntil the end");
  });
  expect(response.body.toString()).toBe("until the end");
});

test("interim responses of the provider do not disturb the final one", async () => {
  const response = await passed(
    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  );
  expect(statusOf(response)).toBe(200);
  expect(response.body.toString()).toBe("ok");
});

test("the head reaches the client before the first body byte, and each chunk when it comes", async () => {
  const goOn = Promise.withResolvers<void>();
  const more = Promise.withResolvers<void>();
  rawResponse = async (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    await goOn.promise;
    socket.write("9\r\ndata: 1\n\n\r\n");
    await more.promise;
    socket.write("9\r\ndata: 2\n\n\r\n0\r\n\r\n");
  };
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  const reader = new MessageReader(socket);
  socket.write(request());
  const head = await reader.head();
  expect(statusOf(head!)).toBe(200);
  goOn.resolve();
  const first = await reader.take(14);
  expect(first.toString()).toContain("data: 1\n\n");
  more.resolve();
  let rest = "";
  while (!rest.includes("0\r\n\r\n")) rest += (await reader.take(1)).toString();
  expect(rest).toContain("data: 2\n\n");
  socket.destroy();
});

test.each([
  ["a length that is not reached", "Content-Length: 100\r\n\r\nabc"],
  ["a chunk that is cut", "Transfer-Encoding: chunked\r\n\r\n64\r\nabc"],
])("a response broken off after %s is broken off for the client too, and recorded as 502", async (_name, rest) => {
  const response = await passed((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${rest}`);
    setTimeout(() => socket.destroy(), 30);
  });
  expect(response.complete).toBe(false);
  expect(response.body.toString()).toBe("abc");
  const record = await recordOf(weir, valuesOf(response, "gateway-id")[0]!);
  expect(record["response_status"]).toBe(502);
  expect((await bodyPart(weir, record["request_id"], "response")).toString()).toContain("abc");
});

test.each([
  ["closes without a word", ""],
  ["speaks no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
  [
    "sends two framings",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  ],
  [
    "responds to a plain request with 101",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
  ],
])("a provider that %s is a 502 in JSON, recorded as one", async (_name, bytes) => {
  const response = await passed((socket) => {
    socket.end(bytes);
  });
  expect(statusOf(response)).toBe(502);
  const { error } = JSON.parse(response.body.toString());
  expect(error).toMatchObject({ type: "gateway_error", code: "upstream_unreachable" });
  const id = valuesOf(response, "gateway-id")[0]!;
  expect(error.request_id).toBe(id);
  expect((await recordOf(weir, id))["response_status"]).toBe(502);
});

test("a kept connection that the provider closed in between costs the client nothing", async () => {
  for (let round = 0; round < 20; round += 1) {
    const response = await passed((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      setTimeout(() => socket.destroy(), round % 3);
    });
    expect(statusOf(response)).toBe(200);
  }
});
