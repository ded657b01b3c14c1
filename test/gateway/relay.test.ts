import { expect, test } from "bun:test";
import net, { type Socket } from "node:net";
import { exchangeRaw, OK, startProvider, startRawServer } from "../raw-http.ts";
import { gatewayHeaders, idOf, once, startTestGateway } from "./harness.ts";

test("a request and its response pass and are recorded whole", async () => {
  const seen: string[] = [];
  await using provider = await startProvider(({ head, body, socket }) => {
    seen.push(head + body.toString("latin1"));
    socket.write("HTTP/1.1 201 Fine\r\nContent-Type: text/plain\r\nX-One: 1\r\nContent-Length: 5\r\n\r\nhello");
  });
  await using gateway = await startTestGateway();
  const headers = gatewayHeaders(provider.origin, "X-Mine: a\r\nAuthorization: Bearer sk\r\nContent-Length: 3\r\n");
  const response = await once(gateway, "POST /v1/chat?x=%2F&key=k", headers, "abc");

  const id = idOf(response);
  expect(seen).toEqual([
    `POST /v1/chat?x=%2F&key=k HTTP/1.1\r\nHost: 127.0.0.1:${provider.port}\r\nX-Mine: a\r\nAuthorization: Bearer sk\r\nContent-Length: 3\r\n\r\nabc`,
  ]);
  expect(response).toBe(
    `HTTP/1.1 201 Fine\r\nContent-Type: text/plain\r\nX-One: 1\r\nContent-Length: 5\r\ngateway-id: ${id}\r\nConnection: close\r\n\r\nhello`,
  );
  const record = await gateway.spool.ended(id);
  expect(record.begin).toMatchObject({
    method: "POST",
    path: "/v1/chat?x=%2F&key=***",
    target: provider.origin,
    provider: "CUSTOM",
    organization: "org-1",
    keyName: "test key",
    headers: ["Host", "weir.test", "X-Mine", "a", "Authorization", "***", "Content-Length", "3", "Connection", "close"],
    gateway: ["Gateway-Target-Url", provider.origin],
  });
  expect(record.requestBody.toString()).toBe("abc");
  expect(record.head).toMatchObject({
    status: 201,
    headers: ["Content-Type", "text/plain", "X-One", "1", "Content-Length", "5"],
  });
  expect(record.responseBody.toString()).toBe("hello");
  expect(record.end).toMatchObject({ outcome: "complete", requestBytes: 3, responseBytes: 5 });
  const { forwardedAt = 0, firstByteAt = 0, time } = record.end!;
  expect(record.begin.time).toBeLessThanOrEqual(forwardedAt);
  expect(forwardedAt).toBeLessThanOrEqual(firstByteAt);
  expect(firstByteAt).toBeLessThanOrEqual(time);
  expect(gateway.spool.problems).toEqual([]);
});

test("pipelined requests get responses in order", async () => {
  await using provider = await startProvider(({ head, socket }) => {
    const path = head.split(" ")[1]!;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
  });
  await using gateway = await startTestGateway();
  const requests = ["/one", "/two", "/three"].map(
    (path) => `GET ${path} HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`,
  );
  const response = await exchangeRaw(gateway.port, requests.join(""), (text) => text.endsWith("/three"));
  expect<unknown>(response.match(/\r\n\r\n\/(one|two|three)/g)).toEqual(
    ["/one", "/two", "/three"].map((path) => `\r\n\r\n${path}`),
  );
});

test("headers of the connection, those that Connection names and the gateway's own stay here", async () => {
  let seen = "";
  await using provider = await startProvider(({ head, socket }) => {
    seen = head;
    socket.write(
      "HTTP/1.1 200 OK\r\ngateway-id: of-another\r\nGateway-Cache: of-another\r\ngateway-ratelimit-limit: of-another\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nX-End: 2\r\nContent-Length: 2\r\n\r\nok",
    );
  });
  await using gateway = await startTestGateway({ config: { header_aliases: ["Acme", "acme", "Gateway"] } });
  const response = await exchangeRaw(
    gateway.port,
    `GET / HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Connection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nKeep-Alive: 3\r\nUpgrade: h2c\r\n` +
      "Proxy-Connection: x\r\nACME-Property-A: 1\r\ngateway-user-id: u\r\nExpect-CT: 1\r\n\r\n",
  );
  expect(seen).toBe(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${provider.port}\r\nExpect-CT: 1\r\n\r\n`);
  expect(response).not.toContain("X-Hop");
  expect(response).not.toContain("of-another");
  expect(response).toContain("X-End: 2\r\n");
  expect(response.match(/^(?:acme|gateway)-id: .*/gim)).toEqual([
    `gateway-id: ${idOf(response)}`,
    `acme-id: ${idOf(response)}`,
  ]);
  expect((await gateway.spool.ended(idOf(response))).begin.gateway).toEqual([
    "Gateway-Target-Url",
    provider.origin,
    "Gateway-Property-A",
    "1",
    "gateway-user-id",
    "u",
  ]);
});

test("aliases mean the same in every header", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway({ config: { header_aliases: ["Acme"] } });
  for (const name of ["Acme-OpenAI-Api-Base", "Acme-Target-URL", "acme-target-url"]) {
    const response = await once(
      gateway,
      "GET /",
      `Host: x\r\nAcme-Auth: Bearer sk-weir-us-test\r\n${name}: ${provider.origin}\r\n`,
    );
    expect(response).toEndWith("ok");
  }
});

test("the head reaches the client before the first body byte, and each chunk when it comes", async () => {
  const sockets: Socket[] = [];
  await using provider = await startProvider(({ socket }) => sockets.push(socket));
  await using gateway = await startTestGateway();
  const client = net.connect(gateway.port, "127.0.0.1");
  let received = "";
  let wake = () => {};
  client.on("data", (bytes) => {
    received += bytes.toString("latin1");
    wake();
  });
  const until = async (text: string) => {
    while (!received.includes(text)) await new Promise<void>((resolve) => (wake = resolve));
  };
  client.write(`GET /stream HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`);
  await gateway.spool.until(() => sockets[0]);
  sockets[0]!.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  await until("\r\n\r\n");
  const id = idOf(received);
  expect(gateway.spool.flushed.has(id)).toBe(true);
  for (const word of ["one", "two", "three"]) {
    sockets[0]!.write(`${word.length}\r\n${word}\r\n`);
    await until(word);
  }
  expect(gateway.spool.exchanges.get(id)?.end).toBeUndefined();
  sockets[0]!.write("0\r\n\r\n");
  await until("0\r\n\r\n");
  expect(gateway.spool.exchanges.get(id)?.end?.outcome).toBe("complete");
  expect(gateway.spool.exchanges.get(id)?.responseBody.toString()).toBe("onetwothree");
  client.destroy();
});

test("a client that leaves ends the provider's stream too", async () => {
  const providerSawEnd = Promise.withResolvers<void>();
  await using provider = await startProvider(({ socket }) => {
    socket.on("close", () => providerSawEnd.resolve());
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
  });
  await using gateway = await startTestGateway();
  const response = await exchangeRaw(
    gateway.port,
    `GET /gone HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`,
    (text) => text.includes("one"),
  );
  await providerSawEnd.promise;
  const record = await gateway.spool.ended(idOf(response));
  expect(record.end).toMatchObject({ outcome: "client_gone", status: 499, responseBytes: 3 });
  expect(gateway.status().inFlight).toBe(0);
});

test("a client that leaves in the middle of its body ends the upload", async () => {
  await using provider = await startProvider(() => undefined);
  await using gateway = await startTestGateway();
  const client = net.connect(gateway.port, "127.0.0.1");
  client.write(`POST /half HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Content-Length: 10\r\n\r\nhalf`);
  await gateway.spool.until(() => gateway.status().inFlight === 1);
  client.destroy();
  const record = await gateway.spool.endedPath("/half");
  expect(record.end).toMatchObject({ outcome: "client_gone", status: 499, requestBytes: 4 });
});

test("a provider that breaks off makes the client's response break off", async () => {
  await using provider = await startProvider(({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", () => socket.resetAndDestroy());
  });
  await using gateway = await startTestGateway();
  const response = await once(gateway, "GET /broken", gatewayHeaders(provider.origin));
  expect(response).toEndWith("half");
  const record = await gateway.spool.ended(idOf(response));
  expect(record.end).toMatchObject({
    outcome: "upstream_failed",
    status: 502,
    error: { code: "upstream_unreachable" },
  });
});

test("bytes that arrive together with a fault in a response reach the client before the break", async () => {
  const begun = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  await using provider = await startProvider(({ socket }) => socket.write(`${begun}no size\r\n`));
  await using gateway = await startTestGateway();
  const response = await once(gateway, "GET /broken", gatewayHeaders(provider.origin));
  expect(response).toStartWith("HTTP/1.1 200 OK");
  expect(response).toEndWith("5\r\nhello\r\n");
  expect((await gateway.spool.ended(idOf(response))).end).toMatchObject({ outcome: "upstream_failed", status: 502 });
});

test("a provider that sends no head in time yields a 504", async () => {
  await using provider = await startRawServer(() => undefined);
  await using gateway = await startTestGateway({ config: { upstream_timeout_seconds: 1 } });
  const response = await once(gateway, "GET /slow", gatewayHeaders(provider.origin));
  expect(response).toStartWith("HTTP/1.1 504 Gateway Timeout");
  expect((await gateway.spool.ended(idOf(response))).end).toMatchObject({ outcome: "upstream_timeout", status: 504 });
});

test("a slow response is not cut once its head has come", async () => {
  const begun = Promise.withResolvers<Socket>();
  await using provider = await startProvider(({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsl");
    begun.resolve(socket);
  });
  await using silent = await startRawServer(() => undefined);
  await using gateway = await startTestGateway({ config: { upstream_timeout_seconds: 2 } });
  const response = once(gateway, "POST /slow", gatewayHeaders(provider.origin, "Content-Length: 2\r\n"), "{}");
  const socket = await begun.promise;
  // A later request to a silent provider is cut when the time of the first one, which would be cut before, is also over.
  expect(await once(gateway, "GET /silent", gatewayHeaders(silent.origin))).toStartWith("HTTP/1.1 504");
  socket.write("ow");
  expect(await response).toEndWith("slow");
});

test("the gateway counts what it serves", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway();
  await once(gateway, "POST /", gatewayHeaders(provider.origin, "Content-Length: 3\r\n"), "abc");
  await once(gateway, "GET /", "Host: x\r\n");
  const text = await gateway.metrics();
  expect(text).toContain('weir_gateway_requests_total{provider="CUSTOM",status="2xx",outcome="complete"} 1');
  expect(text).toContain('weir_gateway_requests_total{provider="CUSTOM",status="4xx",outcome="refused"} 1');
  expect(text).toContain('weir_gateway_bytes_total{direction="request"} 3');
  expect(text).toContain("weir_gateway_in_flight 0");
  expect(text).toContain('weir_gateway_overhead_seconds_bucket{le="+Inf"} 1');
  expect(text).toContain("weir_gateway_first_byte_seconds_count 1");
  expect(await gateway.metrics()).toBe(text);
});
