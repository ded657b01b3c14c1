import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import net from "node:net";
import { exchangeRaw, OK, startProvider, startRawServer } from "../raw-http.ts";
import { gatewayHeaders, idOf, once, startTestGateway } from "./harness.ts";

const LARGE = Buffer.alloc(20_000_000);
for (let at = 0; at < LARGE.byteLength; at += 4) LARGE.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function chunked(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.byteLength; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(Buffer.from(`${part.byteLength.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** The body that a provider got in chunks. */
function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

test.each([
  ["with a length", false],
  ["in chunks", true],
])("a body of 20 MB %s passes whole in both directions", async (_name, inChunks) => {
  const seen = Promise.withResolvers<string>();
  await using provider = await startRawServer((socket) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    socket.on("data", (more: Buffer) => {
      parts.push(more);
      bytes += more.byteLength;
      if (bytes < LARGE.byteLength || (inChunks && more.toString("latin1").slice(-5) !== "0\r\n\r\n")) return;
      const all = Buffer.concat(parts);
      const body = all.subarray(all.indexOf("\r\n\r\n") + 4);
      if (!inChunks && body.byteLength < LARGE.byteLength) return;
      seen.resolve(sha(inChunks ? unchunked(body) : body));
      if (inChunks)
        socket.write(
          Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), chunked(LARGE, 99_999)]),
        );
      else
        socket.write(
          Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE.byteLength}\r\n\r\n`), LARGE]),
        );
    });
  });
  await using gateway = await startTestGateway({ config: { max_recorded_body_bytes: 1_000_000 } });
  const framing = inChunks ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${LARGE.byteLength}\r\n`;
  const response = await exchangeRaw(gateway.port, [
    `POST /large HTTP/1.1\r\n${gatewayHeaders(provider.origin, framing)}Connection: close\r\n\r\n`,
    inChunks ? chunked(LARGE, 70_001) : LARGE,
  ]);
  expect(await seen.promise).toBe(sha(LARGE));
  const body = Buffer.from(response.slice(response.indexOf("\r\n\r\n") + 4), "latin1");
  expect(sha(inChunks ? unchunked(body) : body)).toBe(sha(LARGE));
  const record = await gateway.spool.ended(idOf(response));
  expect(record.requestBody.byteLength).toBe(1_000_000);
  expect(record.responseBody.byteLength).toBe(1_000_000);
  expect(record.end).toMatchObject({
    outcome: "complete",
    requestBytes: LARGE.byteLength,
    responseBytes: LARGE.byteLength,
    requestTruncated: true,
    responseTruncated: true,
  });
});

test.each(["text/event-stream; charset=utf-8", "application/x-ndjson", "application/vnd.amazon.eventstream"])(
  "a response of type %s is recorded whole, whatever the limit",
  async (type) => {
    await using provider = await startProvider(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: 5000\r\n\r\n${"x".repeat(5_000)}`);
    });
    await using gateway = await startTestGateway({ config: { max_recorded_body_bytes: 100 } });
    const record = await gateway.spool.ended(idOf(await once(gateway, "GET /", gatewayHeaders(provider.origin))));
    expect(record.responseBody.byteLength).toBe(5_000);
    expect(record.end?.responseTruncated).toBeUndefined();
  },
);

test("the spool learns which bodies to encrypt before it gets them", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway();
  const headers = gatewayHeaders(
    provider.origin,
    "Gateway-Omit-Request: true\r\nGateway-Omit-Response: TRUE\r\nContent-Length: 6\r\n",
  );
  const record = await gateway.spool.ended(idOf(await once(gateway, "POST /", headers, "secret")));
  expect(record.begin).toMatchObject({ omitRequest: true, omitResponse: true });
  expect(record.end).toMatchObject({ requestBytes: 6, responseBytes: 2 });
  expect(record.end?.requestTruncated).toBeUndefined();
});

test("a body whose chunks are broken is a 400, and the provider's call is ended", async () => {
  const providerSawEnd = Promise.withResolvers<void>();
  await using provider = await startRawServer((socket) => {
    socket.on("data", () => undefined);
    socket.on("close", () => providerSawEnd.resolve());
  });
  await using gateway = await startTestGateway();
  const response = await exchangeRaw(
    gateway.port,
    // Large enough to be on its way before the next chunk is looked at.
    `POST / HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Transfer-Encoding: chunked\r\n\r\n800\r\n${"x".repeat(0x800)}\r\nzz\r\n`,
  );
  expect(response).toStartWith("HTTP/1.1 400 Bad Request");
  expect(response).toContain('"code":"bad_request"');
  await providerSawEnd.promise;
  const record = await gateway.spool.ended(idOf(response));
  expect(record.end).toMatchObject({ outcome: "refused", status: 400, error: { code: "bad_request" } });
});

describe("a body over the limit", () => {
  test("gets a 413 in the middle of its chunks, and the provider's call is ended", async () => {
    const providerSawEnd = Promise.withResolvers<void>();
    await using provider = await startRawServer((socket) => {
      socket.on("data", () => undefined);
      socket.on("close", () => providerSawEnd.resolve());
    });
    await using gateway = await startTestGateway({ config: { max_body_bytes: 1_000_000 } });
    const response = await exchangeRaw(
      gateway.port,
      [
        `POST /big HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Transfer-Encoding: chunked\r\n\r\n`,
        chunked(LARGE.subarray(0, 3_000_000), 50_000),
      ],
      (text) => text.endsWith("}}"),
    );
    expect(response).toStartWith("HTTP/1.1 413 Content Too Large");
    await providerSawEnd.promise;
    const record = await gateway.spool.ended(idOf(response));
    expect(record.end).toMatchObject({ outcome: "refused", status: 413, error: { code: "body_too_large" } });
  });

  test("with a length gets a response at once, and the connection continues", async () => {
    await using provider = await startProvider(({ socket }) => socket.write(OK));
    await using gateway = await startTestGateway({ config: { max_body_bytes: 1_000 } });
    const response = await exchangeRaw(
      gateway.port,
      [
        `POST /big HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Content-Length: 3000000\r\n\r\n`,
        LARGE.subarray(0, 3_000_000),
        `GET /next HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`,
      ],
      (text) => text.endsWith("ok"),
    );
    expect(response).toStartWith("HTTP/1.1 413");
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });
});

test("a response that comes before the body was in reaches the client", async () => {
  await using provider = await startRawServer((socket) => {
    socket.once("data", () => socket.write("HTTP/1.1 429 Slow Down\r\nContent-Length: 4\r\n\r\nlate"));
    socket.pause();
    socket.resume();
  });
  await using gateway = await startTestGateway();
  const response = await exchangeRaw(
    gateway.port,
    [
      `POST /early HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Content-Length: 8000000\r\n\r\n`,
      LARGE.subarray(0, 4_000_000),
    ],
    (text) => text.endsWith("late"),
  );
  expect(response).toStartWith("HTTP/1.1 429 Slow Down");
  expect((await gateway.spool.ended(idOf(response))).end?.outcome).toBe("complete");
});

test("a stalled upload gets a 408", async () => {
  await using provider = await startRawServer(() => undefined);
  await using gateway = await startTestGateway({ config: { upload_stall_seconds: 0.3 } });
  const response = await exchangeRaw(
    gateway.port,
    `POST /stalled HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Content-Length: 10\r\n\r\nhalf`,
    (text) => text.endsWith("}}"),
  );
  expect(response).toStartWith("HTTP/1.1 408 Request Timeout");
  expect((await gateway.spool.ended(idOf(response))).end).toMatchObject({ outcome: "client_gone", status: 408 });
});

test("an expectation that is not the gateway's to meet is the provider's to judge", async () => {
  await using provider = await startProvider(({ head, socket }) => {
    const status = head.includes("Expect: miracles") ? "417 No Miracles" : "200 OK";
    socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
  });
  await using gateway = await startTestGateway();
  const headers = gatewayHeaders(provider.origin, "Expect: miracles\r\nContent-Length: 2\r\n");
  expect(await once(gateway, "POST /", headers, "{}")).toStartWith("HTTP/1.1 417 No Miracles");
});

test("a client that waits for 100 Continue gets it, unless it is refused", async () => {
  await using provider = await startProvider(({ head, body, socket }) => {
    const text = `${/Expect: (\S+)/.exec(head)?.[1]} ${body.toString()}`;
    socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  });
  await using gateway = await startTestGateway();
  const client = net.connect(gateway.port, "127.0.0.1");
  let received = "";
  const done = new Promise<void>((resolve) => {
    client.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (received === "HTTP/1.1 100 Continue\r\n\r\n") client.write("body");
      if (received.endsWith("100-continue body")) resolve();
    });
  });
  client.write(
    `POST / HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
  );
  await done;
  client.destroy();
  const refused = await exchangeRaw(
    gateway.port,
    "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n",
    (text) => text.endsWith("}}"),
  );
  expect(refused).toStartWith("HTTP/1.1 401");
});

test.each([
  ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", "", "Content-Length: 50"],
  ["GET", "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n", "", "X-A: 1"],
  ["GET", "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", "", "ETag: x"],
  ["GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", "Content-Length: 0"],
  [
    "GET",
    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    "",
    "Location: http://127.0.0.1:1/",
  ],
  ["OPTIONS", "HTTP/1.1 200 OK\r\nAllow: GET\r\nContent-Length: 2\r\n\r\nok", "ok", "Allow: GET"],
  ["QUERY", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", "Content-Length: 2"],
])("%s with the response %j passes", async (method, wire, body, header) => {
  await using provider = await startProvider(({ socket }) => socket.write(wire));
  await using gateway = await startTestGateway();
  const response = await once(gateway, `${method} /`, gatewayHeaders(provider.origin));
  expect(response).toContain(`\r\n${header}\r\n`);
  expect(response.slice(response.indexOf("\r\n\r\n") + 4)).toBe(body);
  expect((await gateway.spool.ended(idOf(response))).end?.outcome).toBe("complete");
});

test("a GET may have a body, and a POST none", async () => {
  const seen: string[] = [];
  await using provider = await startProvider(({ head, body, socket }) => {
    seen.push(head.replace(/Host:.*\r\n/, "") + body);
    socket.write(OK);
  });
  await using gateway = await startTestGateway();
  await once(gateway, "GET /", gatewayHeaders(provider.origin, "Content-Length: 2\r\n"), "ab");
  await once(gateway, "POST /", gatewayHeaders(provider.origin));
  await once(gateway, "PUT /", gatewayHeaders(provider.origin, "Content-Length: 0\r\n"));
  await once(gateway, "PATCH /", gatewayHeaders(provider.origin, "Transfer-Encoding: chunked\r\n"), "0\r\n\r\n");
  await once(gateway, "POST /", gatewayHeaders(provider.origin, "Content-Length: 2\r\nContent-Length: 2\r\n"), "ab");
  expect(seen).toEqual([
    "GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab",
    "POST / HTTP/1.1\r\n\r\n",
    "PUT / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    "PATCH / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab",
  ]);
});

test("to a client of HTTP/1.0 a response that breaks off does not look whole", async () => {
  await using provider = await startProvider(({ socket }) =>
    socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
  );
  await using gateway = await startTestGateway();
  const client = net.connect(gateway.port, "127.0.0.1");
  const failed = new Promise((tell) => client.once("error", tell).once("end", () => tell("it ended")));
  client.resume().write(`GET / HTTP/1.0\r\n${gatewayHeaders(provider.origin)}\r\n`);
  expect(await failed).toMatchObject({ code: "ECONNRESET" });
});

test("a client of HTTP/1.0 gets a response without chunks, to the end of the connection", async () => {
  await using provider = await startProvider(({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
  });
  await using gateway = await startTestGateway();
  const response = await exchangeRaw(gateway.port, `GET / HTTP/1.0\r\n${gatewayHeaders(provider.origin)}\r\n`);
  expect(response).toEndWith("\r\n\r\nok");
  expect(response).not.toContain("chunked");
});

test("clients that do not read hold their providers back", async () => {
  let written = 0;
  await using provider = await startProvider(({ socket }) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE.byteLength * 5}\r\n\r\n`);
    const piece = LARGE.subarray(0, 100_000);
    const more = () => {
      while (written < LARGE.byteLength * 5) {
        written += piece.byteLength;
        if (!socket.write(piece)) return;
      }
    };
    socket.on("drain", more);
    more();
  });
  await using gateway = await startTestGateway({ config: { max_recorded_body_bytes: 0 } });
  const client = net.connect(gateway.port, "127.0.0.1");
  client.write(`GET /held HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`);
  client.pause();
  let before = -1;
  while (before !== written || written === 0) {
    before = written;
    await Bun.sleep(150);
  }
  expect(written).toBeLessThan(LARGE.byteLength * 2);
  client.destroy();
  expect((await gateway.spool.endedPath("/held")).end?.outcome).toBe("client_gone");
});
