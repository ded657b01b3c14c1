import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import http from "node:http";
import type net from "node:net";
import WebSocket, { type ServerOptions, WebSocketServer } from "ws";
import { MessageReader } from "../../src/gateway/websocket/websocket-frames.ts";
import { chance } from "../chance.ts";
import { exchangeRaw, startProvider, startRawServer } from "../raw-http.ts";
import { gatewayHeaders, idOf, KEY, startTestGateway } from "./harness.ts";

async function startEcho(options: ServerOptions = {}) {
  const server = http.createServer();
  const sockets = new WebSocketServer({ ...options, server });
  let headers: http.IncomingHttpHeaders = {};
  sockets.on("connection", (socket, request) => {
    headers = request.headers;
    socket.on("message", (bytes, isBinary) => socket.send(isBinary ? (bytes as Buffer) : `echo ${bytes.toString()}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    headers: () => headers,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client of `ws`' own sends and takes frames through the gateway. */
function connect(port: number, target: string, options: WebSocket.ClientOptions = {}, protocols: string[] = []) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime?model=m`, protocols, {
    ...options,
    headers: {
      "Gateway-Auth": `Bearer ${KEY}`,
      "Gateway-Target-Url": target,
      Authorization: "Bearer sk",
      ...options.headers,
    },
  });
  const received: (string | Buffer)[] = [];
  let wake = () => {};
  socket.on("message", (bytes, isBinary) => {
    received.push(isBinary ? (bytes as Buffer) : bytes.toString());
    wake();
  });
  return {
    socket,
    received,
    opened: new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    }),
    async messages(count: number) {
      while (received.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return received;
    },
    closed: new Promise<number>((resolve) => socket.once("close", resolve)),
  };
}

describe.each([
  ["without compression", false],
  ["with permessage-deflate", true],
  [
    "with permessage-deflate and no context takeover",
    { serverNoContextTakeover: true, clientNoContextTakeover: true, threshold: 0 },
  ],
] as const)("a WebSocket %s", (_name, perMessageDeflate) => {
  test("passes and is recorded message by message", async () => {
    const deflate = perMessageDeflate === true ? { threshold: 0 } : perMessageDeflate;
    await using echo = await startEcho({ perMessageDeflate: deflate });
    await using gateway = await startTestGateway();
    const client = connect(gateway.port, echo.origin, { perMessageDeflate: deflate }, [
      "realtime",
      "openai-insecure-api-key.sk-1",
    ]);
    await client.opened;
    const long = "The river runs through it, and it is measured. ".repeat(2_000);
    const binary = chance("binary message").bytes(70_000);
    for (const message of ["hello", "hello again", long, "gr\u00fc\u00dfe"]) client.socket.send(message);
    client.socket.send(binary);
    const [first, second, third, fourth, fifth] = await client.messages(5);
    expect<unknown>([first, second, third, fourth]).toEqual([
      "echo hello",
      "echo hello again",
      `echo ${long}`,
      "echo gr\u00fc\u00dfe",
    ]);
    expect(Buffer.compare(fifth as Buffer, binary)).toBe(0);
    client.socket.close(1000);
    await client.closed;

    const record = await gateway.spool.endedPath("/v1/realtime?model=m");
    expect(record.head?.status).toBe(101);
    expect(record.end).toMatchObject({ outcome: "complete", status: 101 });
    const messages = (direction: string) =>
      record.messages.filter((one) => one.direction === direction).map((one) => one.text ?? one.base64);
    expect(messages("client")).toEqual(["hello", "hello again", long, "gr\u00fc\u00dfe", binary.toString("base64")]);
    expect(messages("provider")).toEqual([
      "echo hello",
      "echo hello again",
      `echo ${long}`,
      "echo gr\u00fc\u00dfe",
      binary.toString("base64"),
    ]);
    expect(echo.headers()["gateway-auth"]).toBeUndefined();
    expect(echo.headers()["authorization"]).toBe("Bearer sk");
    expect(echo.headers()["sec-websocket-protocol"]).toBe("realtime,openai-insecure-api-key.sk-1");
    expect(JSON.stringify(record.begin)).not.toContain("sk-1");
    expect(gateway.spool.problems).toEqual([]);
  });
});

test("a provider that does not upgrade is heard like any other", async () => {
  await using provider = await startProvider(({ socket }) => {
    socket.write(
      "HTTP/1.1 401 No\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n",
    );
  });
  await using gateway = await startTestGateway();
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n";
  const response = await exchangeRaw(
    gateway.port,
    `GET /ws HTTP/1.1\r\n${gatewayHeaders(provider.origin, upgrade)}\r\n`,
  );
  expect(response).toStartWith("HTTP/1.1 401 No\r\n");
  expect(response).toEndWith("4\r\nnope\r\n0\r\n\r\n");
  const record = await gateway.spool.ended(idOf(response));
  expect([record.head?.status, record.end?.outcome, record.responseBody.toString()]).toEqual([401, "complete", "nope"]);
});

test.each([
  ["no key", `Host: x\r\nGateway-Target-Url: http://127.0.0.1:9\r\n`, 401],
  ["a forbidden target", `Host: x\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: http://10.0.0.1\r\n`, 403],
  [
    "a provider that is not there",
    `Host: x\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: http://127.0.0.1:1\r\n`,
    502,
  ],
])("an upgrade with %s is refused in JSON", async (_name, headers, status) => {
  await using gateway = await startTestGateway();
  const response = await exchangeRaw(
    gateway.port,
    `GET /ws HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  expect(response).toStartWith(`HTTP/1.1 ${status} `);
  expect(JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4)).error.request_id).toBe(idOf(response));
});

test("bytes that come early from both sides are passed on behind the 101", async () => {
  await using provider = await startRawServer((socket) => {
    socket.once("data", () => {
      socket.write(
        Buffer.from(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-A: 1\r\n\r\n\x81\x05early",
          "latin1",
        ),
      );
      socket.on("data", (bytes: Buffer) => socket.write(bytes));
    });
  });
  await using gateway = await startTestGateway();
  const response = await exchangeRaw(
    gateway.port,
    `GET /ws HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi`,
    (text) => text.endsWith("hi"),
  );
  expect(response).toBe(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-A: 1\r\ngateway-id: ${idOf(response)}\r\n\r\n\x81\x05early\x81\x02hi`,
  );
  const record = await gateway.spool.ended(idOf(response));
  expect(record.messages.map(({ direction, text }) => [direction, text])).toEqual([
    ["client", "hi"],
    ["provider", "early"],
    ["provider", "hi"],
  ]);
});

test("messages beyond the cap are passed on and not recorded", async () => {
  await using echo = await startEcho({ perMessageDeflate: false });
  await using gateway = await startTestGateway({ config: { max_recorded_body_bytes: 500 } });
  const client = connect(gateway.port, echo.origin, { perMessageDeflate: false });
  await client.opened;
  for (const message of ["small", "x".repeat(1_000), "small again"]) client.socket.send(message);
  await client.messages(3);
  client.socket.close();
  const record = await gateway.spool.endedPath("/v1/realtime?model=m");
  expect(record.messages.map((one) => one.text)).toEqual(
    expect.arrayContaining(["small", "echo small", "small again"]),
  );
  expect(record.messages.every((one) => (one.text ?? "").length < 100)).toBe(true);
  expect(record.end?.responseTruncated).toBe(true);
});

test("messages of next to nothing fill a record as their lines do", async () => {
  await using echo = await startEcho({ perMessageDeflate: false });
  await using gateway = await startTestGateway({ config: { max_recorded_body_bytes: 1_000 } });
  const client = connect(gateway.port, echo.origin, { perMessageDeflate: false });
  await client.opened;
  for (let sent = 0; sent < 200; sent++) client.socket.send("x");
  expect(await client.messages(200)).toHaveLength(200);
  client.socket.close();
  const record = await gateway.spool.endedPath("/v1/realtime?model=m");
  expect(record.messages.length).toBeGreaterThan(5);
  expect(record.messages.length).toBeLessThan(20);
  expect(record.end?.responseTruncated).toBe(true);
});

test("a provider that goes away closes the client, and draining cuts both", async () => {
  await using echo = await startEcho();
  const gateway = await startTestGateway();
  const client = connect(gateway.port, echo.origin);
  await client.opened;
  await gateway.drain(0);
  expect(await client.closed).toBe(1006);
  expect((await gateway.spool.endedPath("/v1/realtime?model=m")).end?.outcome).toBe("cut_off");
});

test("frames are read the same however their bytes are cut", () => {
  const key = createHash("sha256").update("mask").digest().subarray(0, 4);
  const frame = (first: number, text: string, masked: boolean) => {
    const body = Buffer.from(text);
    const size = body.byteLength < 126 ? [body.byteLength] : [126, body.byteLength >> 8, body.byteLength & 255];
    if (!masked) return Buffer.concat([Buffer.from([first, ...size]), body]);
    size[0]! |= 128;
    return Buffer.concat([Buffer.from([first, ...size]), key, body.map((byte, at) => byte ^ key[at & 3]!)]);
  };
  const wire = Buffer.concat([
    frame(0x81, "one", true),
    frame(0x01, "tw", true),
    frame(0x89, "ping", true),
    frame(0x80, "o", true),
    frame(0x81, "", false),
    frame(0x82, "x".repeat(300), false),
    frame(0x88, "", true),
  ]);
  for (let size = 1; size < wire.byteLength; size++) {
    const messages: string[] = [];
    const reader = new MessageReader(
      { onMessage: (payload, isText) => void messages.push(`${isText ? "t" : "b"}${payload}`) },
      () => 1_000,
      undefined,
    );
    for (let at = 0; at < wire.byteLength; at += size) reader.execute(wire.subarray(at, at + size));
    expect(messages).toEqual(["tone", "ttwo", "t", `b${"x".repeat(300)}`]);
  }
});

test("a message in frames of one byte takes as much memory as in one frame", () => {
  const frame = Buffer.from([0x00, 0x81, 1, 2, 3, 4, 0x40]);
  const frames = Buffer.concat(Array.from({ length: 10_000 }, () => frame));
  const messages: string[] = [];
  const reader = new MessageReader({ onMessage: (bytes) => void messages.push(String(bytes)) }, () => 1e6, undefined);
  reader.execute(Buffer.from([0x01, 0x81, 1, 2, 3, 4, 0x40]));
  const before = heapStats().objectCount;
  for (let times = 0; times < 20; times++) reader.execute(frames);
  expect(heapStats().objectCount - before).toBeLessThan(50_000);
  reader.execute(Buffer.from([0x80, 0x81, 1, 2, 3, 4, 0x40]));
  expect(messages).toEqual(["A".repeat(200_002)]);
});

test.each([
  [
    "continues no message",
    [
      [0x81, 70_000],
      [0x80, 2],
    ],
    [70_000],
  ],
  [
    "continues a message that is over",
    [
      [0x01, 70_000],
      [0x80, 2],
      [0x80, 2],
    ],
    [70_002],
  ],
  [
    "begins within a message",
    [
      [0x01, 2],
      [0x81, 70_000],
    ],
    [],
  ],
  ["has an impossible length", [[0x82, 2 ** 63]], []],
] as const)("a frame that %s ends what is recorded, and no other bytes are in it", (_name, frames, lengths) => {
  const messages: (number | "no more")[] = [];
  const onMessage = (payload: Buffer | undefined) => {
    expect(payload?.every((byte) => byte === 0x61)).not.toBe(false);
    messages.push(payload?.byteLength ?? "no more");
  };
  const reader = new MessageReader({ onMessage }, () => 1e6, undefined);
  for (const [first, size] of [...frames, [0x81, 3]] as const) {
    const head = Buffer.from([first, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(BigInt(size), 2);
    reader.execute(Buffer.concat([head, Buffer.alloc(Math.min(size, 70_000), "a")]));
  }
  expect(messages).toEqual([...lengths, "no more"]);
});

test("deflated messages are inflated only while there is room to record them", async () => {
  const deflate = { threshold: 0, clientNoContextTakeover: true, serverNoContextTakeover: true };
  await using echo = await startEcho({ perMessageDeflate: deflate });
  await using gateway = await startTestGateway({ config: { max_recorded_body_bytes: 3_000 } });
  const client = connect(gateway.port, echo.origin, { perMessageDeflate: deflate });
  await client.opened;
  for (const message of ["a".repeat(1_000), "b".repeat(2_800), "c"]) client.socket.send(message);
  await client.messages(3);
  client.socket.close(1000);
  await client.closed;
  const record = await gateway.spool.endedPath("/v1/realtime?model=m");
  const sent = record.messages.filter((one) => one.direction === "client");
  // Later ones are kept as they were sent, if they fit so.
  expect(sent.map((one) => one.text)).toEqual(["a".repeat(1_000), undefined, undefined]);
});
