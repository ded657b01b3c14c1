import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { MessageReader, statusOf, valuesOf } from "./raw.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { KEY, recordOf, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({ env: { WEIR_UPSTREAM_TIMEOUT_SECONDS: "1" } });
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
      15_000,
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
  socket.write(`${request("/slow?ms=5000")}Content-Length: 2\r\n\r\n{}`);
  await until(
    () => upstream.open() === 1,
    15_000,
    () => "the request did not arrive",
  );
  socket.destroy();
  await until(
    () => upstream.aborted() === before + 1,
    15_000,
    () => "the provider call goes on",
  );
});

test.each([
  ["at once", "/events?n=2&ms=1", 1.1, []],
  ["late, after a probe", "/slow?ms=700", 1.1, [102]],
  ["late, to HTTP/1.0, which knows no probe", "/slow?ms=700", 1, []],
] as const)(
  "a client that closes its side behind the request still gets the whole answer: %s",
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
    expect(heads).toEqual([...interim, 200]);
    const record = await recordOf(weir, /gateway-id: (\S+)/.exec(text)?.[1] ?? "");
    expect([record["response_status"], record["outcome"]]).toEqual([200, "complete"]);
  },
);

test("pipelined requests of a client that then closes its side are all answered", async () => {
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
    15_000,
    () => "the request did not arrive",
  );
  socket.destroy();
  await until(
    () => upstream.open() === 0,
    15_000,
    () => "the provider call goes on",
  );
});

test("a provider that sends no head in time is a 504, and its call is ended", async () => {
  const id = crypto.randomUUID();
  const answer = await fetch(`${weir.gateway}/stalled`, {
    method: "POST",
    body: "{}",
    headers: { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": upstream.origin, "Gateway-Request-Id": id },
  });
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ error: { code: "upstream_timeout", request_id: id } });
  await until(
    () => upstream.open() === 0,
    15_000,
    () => "the provider call goes on",
  );
  expect((await recordOf(weir, id))["response_status"]).toBe(504);
});

test("a client that does not read stops the provider's sending, not the others' answers", async () => {
  const bytes = 100_000_000;
  const socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
  socket.write(`${request(`/bytes?n=${bytes}`)}Content-Length: 2\r\n\r\n{}`);
  await once(socket, "readable");
  const answer = await fetch(`${weir.gateway}/v1/anything`, {
    headers: { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": upstream.origin },
  });
  expect(answer.status).toBe(200);
  expect(upstream.open()).toBe(1);
  socket.destroy();
  await until(
    () => upstream.open() === 0,
    15_000,
    () => "the provider call goes on",
  );
});
