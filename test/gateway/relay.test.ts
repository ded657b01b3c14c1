import { expect, test } from "bun:test";
import { exchangeRaw, startProvider } from "../raw-http.ts";
import { gatewayHeaders, idOf, once, startTestGateway } from "./harness.ts";

test("a request and its answer pass and are recorded whole", async () => {
  const seen: string[] = [];
  await using provider = await startProvider(({ head, body, socket }) => {
    seen.push(head + body.toString("latin1"));
    socket.write("HTTP/1.1 201 Fine\r\nContent-Type: text/plain\r\nX-One: 1\r\nContent-Length: 5\r\n\r\nhello");
  });
  await using gateway = await startTestGateway();
  const answer = await once(
    gateway,
    "POST /v1/chat?x=%2F",
    gatewayHeaders(provider.origin, "X-Mine: a\r\nContent-Length: 3\r\n"),
    "abc",
  );

  const id = idOf(answer);
  expect(seen).toEqual([
    `POST /v1/chat?x=%2F HTTP/1.1\r\nHost: 127.0.0.1:${provider.port}\r\nX-Mine: a\r\nContent-Length: 3\r\n\r\nabc`,
  ]);
  expect(answer).toBe(
    `HTTP/1.1 201 Fine\r\nContent-Type: text/plain\r\nX-One: 1\r\nContent-Length: 5\r\ngateway-id: ${id}\r\nConnection: close\r\n\r\nhello`,
  );
  const record = await gateway.spool.ended(id);
  expect(record.begin).toMatchObject({
    method: "POST",
    path: "/v1/chat?x=%2F",
    target: provider.origin,
    provider: "CUSTOM",
  });
  expect(record.requestBody.toString()).toBe("abc");
  expect(record.responseBody.toString()).toBe("hello");
  expect(record.end).toMatchObject({ outcome: "complete", requestBytes: 3, responseBytes: 5 });
  expect(gateway.spool.problems).toEqual([]);
});

test("pipelined requests are answered in order", async () => {
  await using provider = await startProvider(({ head, socket }) => {
    const path = head.split(" ")[1]!;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
  });
  await using gateway = await startTestGateway();
  const requests = ["/one", "/two", "/three"].map(
    (path) => `GET ${path} HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`,
  );
  const answer = await exchangeRaw(gateway.port, requests.join(""), (text) => text.endsWith("/three"));
  expect<unknown>(answer.match(/\r\n\r\n\/(one|two|three)/g)).toEqual(
    ["/one", "/two", "/three"].map((path) => `\r\n\r\n${path}`),
  );
});
