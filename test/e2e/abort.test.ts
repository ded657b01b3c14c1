import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import * as zlib from "node:zlib";
import { MessageReader, statusOf, valuesOf } from "./raw.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, KEY, recordOf, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;

beforeAll(async () => {
  upstream = await startUpstream();
  // Longer than a busy machine takes for the heads that come.
  weir = await startWeir({ env: { WEIR_UPSTREAM_TIMEOUT_SECONDS: "8" } });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const request = (path: string, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: weir\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: ${upstream.origin}\r\n${more}`;

test.each(["destroy", "end", "resetAndDestroy"] as const)(
  "a client that leaves a stream (%s) ends the provider call, recorded as 499",
  async (way) => {
    const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
    socket.on("error", () => socket.destroy());
    const reader = new MessageReader(socket);
    socket.write(`${request("/endless")}Content-Length: 2\r\n\r\n{}`);
    const head = await reader.head();
    expect(statusOf(head!)).toBe(200);
    await reader.take(30);
    expect(upstream.open()).toBe(1);
    const before = upstream.aborted();
    socket[way]();
    await until(
      () => upstream.aborted() === before + 1 && upstream.open() === 0,
      180_000,
      () => "the provider call goes on",
    );
    const id = valuesOf({ ...head!, body: Buffer.alloc(0), framing: "none", complete: true }, "gateway-id")[0]!;
    const record = await recordOf(weir, id);
    expect(record["response_status"]).toBe(499);
    socket.destroy();
  },
);

test("a client that leaves while the provider is silent ends the call soon", async () => {
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  await once(socket, "connect");
  const before = upstream.aborted();
  const id = crypto.randomUUID();
  socket.write(`${request("/stalled", `Gateway-Request-Id: ${id}\r\n`)}Content-Length: 2\r\n\r\n{}`);
  await until(
    () => upstream.open() === 1,
    180_000,
    () => "the request did not arrive",
  );
  socket.destroy();
  await until(
    () => upstream.aborted() === before + 1,
    180_000,
    () => "the provider call goes on",
  );
  expect((await recordOf(weir, id))["response_status"]).toBe(499); // not by the provider's time limit
});

test.each([
  ["at once", "/events?n=2&ms=1", 1.1, []],
  ["late, after a probe", "/slow?ms=700", 1.1, [102]],
  ["late, to HTTP/1.0, which knows no probe", "/slow?ms=700", 1, []],
] as const)(
  "a client that half-closes after the request still gets the whole response: %s",
  async (_name, path, version, interim) => {
    const client = connect({ port: weir.gatewayPort, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    client.on("data", (bytes) => {
      text += bytes;
    });
    const head = request(path).replace("HTTP/1.1", `HTTP/${version.toFixed(1)}`);
    // The id is claimed in another thread: the client has closed its side before the body is read.
    client.end(`${head}Gateway-Request-Id: ${crypto.randomUUID()}\r\nContent-Length: 2\r\n\r\n{}`);
    await once(client, "end");
    const heads = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => Number(code));
    // A machine that is busy enough makes a late response of an early one, and probes.
    expect(heads).toEqual(expect.arrayContaining([...interim, 200]));
    expect(heads.filter((code) => code !== 102)).toEqual([200]);
    if (version === 1) expect(heads).toEqual([200]);
    const record = await recordOf(weir, /gateway-id: (\S+)/.exec(text)?.[1] ?? "");
    expect([record["response_status"], record["outcome"]]).toEqual([200, "complete"]);
  },
);

test("pipelined requests of a client that then half-closes all get a response", async () => {
  const client = connect({ port: weir.gatewayPort, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  client.on("data", (bytes) => {
    text += bytes;
  });
  client.end(`${request("/slow?ms=50")}Content-Length: 2\r\n\r\n{}`.repeat(3));
  await once(client, "end");
  expect(text.match(/^HTTP\/1\.1 200/gm)).toHaveLength(3);
});

test("a client that leaves in the middle of its upload ends the provider call soon", async () => {
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  await once(socket, "connect");
  socket.write(`${request("/echo")}Content-Length: 5000000\r\n\r\n${"x".repeat(50_000)}`);
  await until(
    () => upstream.open() === 1,
    180_000,
    () => "the request did not arrive",
  );
  socket.destroy();
  await until(
    () => upstream.open() === 0,
    180_000,
    () => "the provider call goes on",
  );
});

test("a provider that sends no head in time is a 504, and its call is ended", async () => {
  const id = crypto.randomUUID();
  const response = await fetch(`${weir.gateway}/stalled`, {
    method: "POST",
    body: "{}",
    headers: { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": upstream.origin, "Gateway-Request-Id": id },
  });
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ error: { code: "upstream_timeout", request_id: id } });
  await until(
    () => upstream.open() === 0,
    180_000,
    () => "the provider call goes on",
  );
  expect((await recordOf(weir, id))["response_status"]).toBe(504);
});

test("a client that does not read pauses the provider, not other clients' responses", async () => {
  const bytes = 100_000_000;
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  socket.write(`${request(`/bytes?n=${bytes}`)}Content-Length: 2\r\n\r\n{}`);
  await once(socket, "readable");
  const response = await fetch(`${weir.gateway}/v1/anything`, {
    headers: { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": upstream.origin },
  });
  expect(response.status).toBe(200);
  await until(() => upstream.open() === 1); // the other one's response has left
  socket.destroy();
  await until(
    () => upstream.open() === 0,
    180_000,
    () => "the provider call goes on",
  );
});

const CODINGS = {
  gzip: () => zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliCompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdCompress({ flush: zlib.constants.ZSTD_e_flush }),
};
const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m-1" };
const chunkOf = (content: string) =>
  `data: ${JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const USED = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const LAST = `data: ${JSON.stringify({ ...HEAD, choices: [], usage: USED })}\n\ndata: [DONE]\n\n`;

/** A provider whose compressed stream never ends by itself, and a client that leaves once it has all of it that came. */
async function leaveCoded(coding: keyof typeof CODINGS, events: readonly string[]): Promise<string> {
  const compressor = CODINGS[coding]();
  const pieces: Buffer[] = [];
  compressor.on("data", (piece: Buffer) => pieces.push(piece));
  for (const event of events) await new Promise<void>((resolve) => compressor.write(event, () => resolve()));
  const all = Buffer.concat(pieces);
  const provider = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": coding });
    response.write(all);
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = provider.address() as AddressInfo;
  const headers = { ...gatewayHeaders(`http://127.0.0.1:${port}`), "content-type": "application/json" };
  const sent = httpRequest(`${weir.gateway}/v1/chat/completions`, { method: "POST", headers });
  sent.end('{"model":"m-1","stream":true}');
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let bytes = 0;
  response.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    response.on("data", (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes === all.byteLength) resolve();
    });
  });
  sent.destroy();
  compressor.destroy();
  provider.close();
  const record = await recordOf(weir, String(response.headers["gateway-id"]));
  provider.closeAllConnections();
  return JSON.stringify([
    record["response_status"],
    record["truncated"],
    record["completion_tokens"],
    record["response_body"]?.choices?.[0]?.message?.content ?? null,
  ]);
}

test.each(["gzip", "br", "zstd"] as const)(
  "a client that leaves a stream in %s behind its last event has all of it: 200",
  async (coding) => {
    expect(await leaveCoded(coding, [chunkOf("hi"), chunkOf(" there"), LAST])).toBe('[200,false,4,"hi there"]');
    expect(await leaveCoded(coding, [chunkOf("hi")])).toStartWith("[499,true,");
  },
  300_000,
);
