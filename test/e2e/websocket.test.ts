import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { exchange, statusOf, valuesOf } from "./raw.ts";
import { bodyPart, gatewayHeaders, KEY, recordOf, startWeir, until, type Weir, within } from "./weir.ts";

const http = createServer((_request, response) => response.writeHead(426, { "x-said": "no" }).end("upgrade first"));
const server = new WebSocketServer({
  server: http,
  handleProtocols: (offered) => [...offered].find((name) => name === "realtime") ?? false,
});
const requests: IncomingMessage[] = [];
const closes: number[] = [];
let origin = "";
let weir: Weir;

beforeAll(async () => {
  server.on("connection", (socket, request) => {
    requests.push(request);
    socket.on("message", (data, isBinary) => {
      if (!isBinary && data.toString() === "close please") socket.close(4001, "as you asked");
      else socket.send(data, { binary: isBinary });
    });
    socket.on("close", (code) => closes.push(code));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  server.close();
  http.closeAllConnections();
  http.close();
});

async function open(id: string, protocols: string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${weir.gatewayPort}/v1/realtime?model=gpt-realtime`, protocols, {
    headers: gatewayHeaders(origin, { "Gateway-Request-Id": id, Authorization: "Bearer sk-provider" }),
  });
  await within(once(socket, "open"), 180_000, () => "the socket did not open");
  return socket;
}

async function responseTo(socket: WebSocket, message: string | Buffer): Promise<Buffer> {
  const response = once(socket, "message");
  socket.send(message);
  const [received] = await within(response, 180_000, () => "no message came back");
  return Buffer.isBuffer(received) ? received : Buffer.from(received);
}

test("text, binary and 3 MB messages pass both ways; the record is a 101 with its messages", async () => {
  const id = crypto.randomUUID();
  const socket = await open(id);
  expect((await responseTo(socket, "grüße 🌊")).toString()).toBe("grüße 🌊");
  const bytes = Buffer.from([0, 255, 1, 254, 128]);
  expect(Buffer.compare(await responseTo(socket, bytes), bytes)).toBe(0);
  const large = Buffer.alloc(3_000_000, "abcdefg");
  expect(Buffer.compare(await responseTo(socket, large), large)).toBe(0);
  const closed = once(socket, "close");
  socket.close(1000);
  await within(closed, 180_000, () => "the socket did not close");

  const record = await recordOf(weir, id);
  expect(record["response_status"]).toBe(101);
  expect(record["request_path"]).toBe("/v1/realtime?model=gpt-realtime");
  const lines: string = JSON.parse((await bodyPart(weir, id, "response")).toString()).data;
  for (const line of lines.trim().split("\n")) expect(Object.keys(JSON.parse(line))).toContain("time");
  expect(lines).toContain("grüße 🌊");
  expect(lines).toContain(bytes.toString("base64"));
  expect(lines).toMatch(/"direction":\s*"client"/);
  expect(lines).toMatch(/"direction":\s*"provider"/);
});

test("the handshake passes whole: subprotocol, credential, no Gateway header", async () => {
  const id = crypto.randomUUID();
  const socket = await open(id, ["realtime", "openai-insecure-api-key.sk-planted-in-protocol"]);
  expect(socket.protocol).toBe("realtime");
  const { headers, url } = requests.at(-1)!;
  expect(url).toBe("/v1/realtime?model=gpt-realtime");
  expect(headers.authorization).toBe("Bearer sk-provider");
  expect(headers["sec-websocket-protocol"]).toContain("openai-insecure-api-key.sk-planted-in-protocol");
  expect(Object.keys(headers).filter((name) => name.startsWith("gateway"))).toEqual([]);
  socket.close();
  await once(socket, "close");
  expect(JSON.stringify(await recordOf(weir, id))).not.toContain("sk-planted-in-protocol");
});

test("a close code of the provider reaches the client, and one of the client the provider", async () => {
  const first = await open(crypto.randomUUID());
  const closed = once(first, "close");
  first.send("close please");
  const [code, reason] = await within(closed, 180_000, () => "the socket did not close");
  expect([code, String(reason)]).toEqual([4001, "as you asked"]);

  const second = await open(crypto.randomUUID());
  const count = closes.length;
  second.close(4002, "enough");
  await until(
    () => closes.length > count,
    180_000,
    () => "the provider saw no close",
  );
  expect(closes.at(-1)).toBe(4002);
});

test("a provider that refuses the upgrade responds to the client itself", async () => {
  const response = await exchange(
    weir.gatewayPort,
    `GET /v1/realtime HTTP/1.1\r\nHost: weir\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: ${origin}\r\nConnection: Upgrade\r\nUpgrade: other/1\r\n\r\n`,
  );
  expect(statusOf(response!)).toBe(426);
  expect(valuesOf(response!, "x-said")).toEqual(["no"]);
});

test.each([
  ["without a key", `Gateway-Target-Url: ${"http://127.0.0.1:9"}\r\n`, 401],
  ["without a target", `Gateway-Auth: Bearer ${KEY}\r\n`, 400],
  ["to a closed port", `Gateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: http://127.0.0.1:9\r\n`, 502],
  ["to a forbidden address", `Gateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: http://10.0.0.1\r\n`, 403],
])("an upgrade %s is refused in JSON", async (_name, headers, status) => {
  const response = await exchange(
    weir.gatewayPort,
    `GET /x HTTP/1.1\r\nHost: weir\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  expect(statusOf(response!)).toBe(status);
  expect(JSON.parse(response!.body.toString())).toMatchObject({ error: { type: "gateway_error" } });
});

test("a client that vanishes closes the provider's socket soon", async () => {
  const socket = await open(crypto.randomUUID());
  const count = closes.length;
  socket.terminate();
  await until(
    () => closes.length > count,
    180_000,
    () => "the provider's socket stays open",
  );
});
