import { describe, expect, test } from "bun:test";
import net from "node:net";
import { startNameServer } from "../name-server.ts";
import { exchangeRaw, OK, startProvider } from "../raw-http.ts";
import { gatewayHeaders, idOf, KEY, keySnapshot, once, startTestGateway } from "./harness.ts";

const TARGET = "Gateway-Target-Url: http://127.0.0.1:9\r\n";
const AUTH = `Gateway-Auth: Bearer ${KEY}\r\n`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function bodyOf(response: string) {
  return JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4)).error;
}

/** Status, code, and that the response has the shape of every error. */
function refusal(response: string): [number, string] {
  const error = bodyOf(response);
  expect(error.type).toBe("gateway_error");
  expect(error.message.length).toBeGreaterThan(5);
  expect(error.request_id).toMatch(UUID);
  expect(idOf(response)).toBe(error.request_id);
  expect(response).toContain("\r\nContent-Type: application/json\r\n");
  return [Number(response.slice(9, 12)), error.code];
}

const KEYS = [
  keySnapshot(KEY),
  keySnapshot("expired", { expiresAt: Date.now() - 1 }),
  keySnapshot("revoked", { revokedAt: Date.now() - 1 }),
  keySnapshot("reader", { scopes: ["read"] }),
  keySnapshot("admin", { scopes: ["admin"] }),
];

test.each([
  ["no Gateway-Auth", "", "missing_gateway_auth"],
  ["an empty one", "Gateway-Auth:\r\n", "missing_gateway_auth"],
  ["an empty Bearer", "Gateway-Auth: Bearer \r\n", "missing_gateway_auth"],
  ["another scheme", "Gateway-Auth: Basic abc\r\n", "invalid_gateway_auth"],
  ["no scheme", `Gateway-Auth: ${KEY}\r\n`, "invalid_gateway_auth"],
  ["an unknown key", "Gateway-Auth: Bearer nope\r\n", "invalid_gateway_auth"],
  ["two different keys", `${AUTH}Gateway-Auth: Bearer other\r\n`, "invalid_gateway_auth"],
  ["two words", `Gateway-Auth: Bearer ${KEY} x\r\n`, "invalid_gateway_auth"],
  ["an expired key", "Gateway-Auth: Bearer expired\r\n", "expired_gateway_auth"],
  ["a revoked key", "Gateway-Auth: Bearer revoked\r\n", "invalid_gateway_auth"],
])("%s is a 401 that is not recorded", async (_name, header, code) => {
  await using gateway = await startTestGateway({ keys: KEYS });
  const response = await once(gateway, "POST /v1/x", `Host: weir\r\n${TARGET}${header}Content-Length: 2\r\n`, "{}");
  expect(refusal(response)).toEqual([401, code]);
  expect(gateway.spool.exchanges.size).toBe(0);
});

test("keys are replaced while the gateway runs", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  await using gateway = await startTestGateway();
  gateway.setKeys([]);
  expect(refusal(await once(gateway, "GET /", gatewayHeaders(provider.origin)))[1]).toBe("invalid_gateway_auth");
  gateway.setKeys(KEYS);
  expect(await once(gateway, "GET /", gatewayHeaders(provider.origin))).toStartWith("HTTP/1.1 200");
});

const bearer = (key: string) => `Gateway-Auth: Bearer ${key}\r\n`;

test.each([
  ["a key without the scope", "GET /", `${bearer("reader")}${TARGET}`, 403, "insufficient_scope"],
  ["no target", "GET /", AUTH, 400, "missing_target"],
  ["a target with a path", "GET /", `${AUTH}Gateway-Target-Url: http://a/b\r\n`, 400, "invalid_target"],
  ["a target with a password", "GET /", `${AUTH}Gateway-Target-Url: http://u:pw@a\r\n`, 400, "invalid_target"],
  ["two targets", "GET /", `${AUTH}${TARGET}Gateway-Target-Url: http://b\r\n`, 400, "invalid_target"],
  ["dot segments", "GET /a/%2e%2E/b", `${AUTH}${TARGET}`, 400, "invalid_path"],
  ["a space in the path", "GET /a b", `${AUTH}${TARGET}`, 400, "invalid_path"],
  ["a space in the path, before what else is wrong", "GET /a b", `${bearer("reader")}`, 400, "invalid_path"],
  ["a byte over 0x7f in the path", "GET /caf\xc3\xa9", `${AUTH}${TARGET}`, 400, "invalid_path"],
  ["a control byte in the path", "GET /a\x01", `${AUTH}${TARGET}`, 400, "invalid_path"],
  ["an id that is no UUID", "GET /", `${AUTH}${TARGET}Gateway-Request-Id: 42\r\n`, 400, "invalid_header"],
  [
    "two ids",
    "GET /",
    `${AUTH}${TARGET}Gateway-Request-Id: ${crypto.randomUUID()}\r\nGateway-Request-Id: ${crypto.randomUUID()}\r\n`,
    400,
    "invalid_header",
  ],
  ["a property without a name", "GET /", `${AUTH}${TARGET}Gateway-Property-: x\r\n`, 400, "invalid_header"],
  ["a prompt input without a name", "GET /", `${AUTH}${TARGET}gateway-prompt-input-: x\r\n`, 400, "invalid_header"],
  ["an omission that is no flag", "GET /", `${AUTH}${TARGET}Gateway-Omit-Request: yes\r\n`, 400, "invalid_header"],
  ["a cache setting that is no flag", "GET /", `${AUTH}${TARGET}Gateway-Cache-Enabled: 1\r\n`, 400, "invalid_header"],
  [
    "a bucket that is too large",
    "GET /",
    `${AUTH}${TARGET}Gateway-Cache-Bucket-Max-Size: 21\r\n`,
    400,
    "invalid_header",
  ],
  [
    "a cache setting of a WebSocket",
    "GET /",
    `${AUTH}${TARGET}Connection: Upgrade\r\nUpgrade: websocket\r\nGateway-Cache-Ignore-Keys: ,\r\n`,
    400,
    "invalid_header",
  ],
  [
    "a fallback of a WebSocket",
    "GET /",
    `${AUTH}${TARGET}Connection: Upgrade\r\nUpgrade: websocket\r\nGateway-Fallbacks: {\r\n`,
    400,
    "invalid_header",
  ],
  ["an empty provider name", "GET /", `${AUTH}${TARGET}Gateway-Target-Provider:\r\n`, 400, "invalid_header"],
  ["a private address", "GET /", `${AUTH}Gateway-Target-Url: http://10.0.0.1\r\n`, 403, "target_forbidden"],
  ["a number for an address", "GET /", `${AUTH}Gateway-Target-Url: http://0x0a000001\r\n`, 403, "target_forbidden"],
  [
    "a metadata service",
    "GET /",
    `${AUTH}Gateway-Target-Url: http://metadata.google.internal\r\n`,
    403,
    "target_forbidden",
  ],
  ["a body over the limit", "POST /", `${AUTH}${TARGET}Content-Length: 1001\r\n`, 413, "body_too_large"],
  [
    "a provider that is not there",
    "GET /",
    `${AUTH}Gateway-Target-Url: http://127.0.0.1:1\r\n`,
    502,
    "upstream_unreachable",
  ],
] as const)("%s is refused, and that is recorded", async (_name, startLine, headers, status, code) => {
  await using gateway = await startTestGateway({ keys: KEYS, config: { max_body_bytes: 1_000 } });
  const response = await once(gateway, startLine, `Host: weir\r\n${headers}`);
  expect(refusal(response)).toEqual([status, code]);
  const record = await gateway.spool.ended(idOf(response));
  expect(record.head?.status).toBe(status);
  expect(record.end).toMatchObject({
    outcome: status === 502 ? "upstream_failed" : "refused",
    status,
    error: { code },
  });
  expect(JSON.stringify(record)).not.toContain(":pw@");
  expect(record.responseBody.toString()).toContain(code);
  expect(gateway.spool.problems).toEqual([]);
});

test("a path of bytes that no URI has is recorded with these escaped, credentials behind them masked", async () => {
  await using gateway = await startTestGateway({ keys: KEYS });
  const body = '{"model":"m"}';
  const head = `POST /a b\x01\xc3\xa9 key=S?x=1 token=S HTTP/1.1\r\nHost: weir\r\n${AUTH}${TARGET}`;
  const next = `GET / HTTP/1.1\r\nHost: weir\r\n${AUTH}${TARGET}\r\n`;
  // Nothing tells the reader to stop: the gateway has to close, and reads nothing of what follows.
  const response = await exchangeRaw(gateway.port, `${head}Content-Length: ${body.length}\r\n\r\n${body}${next}`);
  expect(refusal(response)).toEqual([400, "invalid_path"]);
  expect(response).toContain("\r\nConnection: close\r\n");
  const record = await gateway.spool.ended(idOf(response));
  expect(record.begin).toMatchObject({
    path: "/a%20b%01%C3%A9%20key=***?x=1%20token=***",
    target: "http://127.0.0.1:9",
  });
  expect(record.requestBody.toString()).toBe(body);
  expect(gateway.spool.exchanges.size).toBe(1);
});

test("a path of bytes that no URI has is refused, and not recorded if its organization is unknown", async () => {
  await using gateway = await startTestGateway({ keys: KEYS });
  for (const header of ["", bearer("nope"), bearer("expired")]) {
    const response = await once(gateway, "GET /a b", `Host: weir\r\n${TARGET}${header}`);
    expect(refusal(response)).toEqual([400, "invalid_path"]);
  }
  expect(gateway.spool.exchanges.size).toBe(0);
});

test.each([
  ["an unknown key", "GET /", `${bearer("nope")}${TARGET}`, "weir keys create"],
  ["a revoked key", "GET /", `${bearer("revoked")}${TARGET}`, "was revoked"],
  ["an expired key", "GET /", `${bearer("expired")}${TARGET}`, "has expired"],
  [
    "a private address",
    "GET /",
    `${AUTH}Gateway-Target-Url: http://0x0a000001:80\r\n`,
    "weir domains approve 10.0.0.1 --private, or with WEIR_ALLOW_PRIVATE_TARGETS",
  ],
  [
    "a private address of IPv6",
    "GET /",
    `${AUTH}Gateway-Target-Url: http://[fd00::5]:80\r\n`,
    "weir domains approve fd00::5 --private",
  ],
  [
    "a name of this machine",
    "GET /",
    `${AUTH}Gateway-Target-Url: http://metadata\r\n`,
    "weir domains approve metadata --private",
  ],
  ["a body over the limit", "POST /", `${AUTH}${TARGET}Content-Length: 1001\r\n`, "WEIR_MAX_BODY_BYTES"],
  ["a provider that is not there", "GET /", `${AUTH}${TARGET}`, "check the target"],
])("the response to %s says how to fix it", async (_name, startLine, headers, how) => {
  const privateTargets = () => [];
  await using gateway = await startTestGateway({ keys: KEYS, config: { max_body_bytes: 1_000 }, privateTargets });
  const response = await once(gateway, startLine, `Host: weir\r\n${headers}`);
  expect(bodyOf(response).message).toContain(how);
});

const BODY = '{"model":"gpt-4o","messages":[]}';
const ELSEWHERE = `Host: weir\r\n${AUTH}Gateway-Target-Url: http://10.0.0.1\r\n`;

test.each([
  ["with its length", `Content-Length: ${BODY.length}\r\n`, BODY],
  ["in chunks", "Transfer-Encoding: chunked\r\n", `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`],
])("the body of a refused request sent %s is in its record", async (_name, framing, body) => {
  await using gateway = await startTestGateway({ keys: KEYS });
  const response = await once(gateway, "POST /v1/x", `${ELSEWHERE}${framing}`, body);
  const record = await gateway.spool.ended(idOf(response));
  expect(record.requestBody.toString()).toBe(BODY);
  expect(record.end).toMatchObject({ status: 403, requestBytes: BODY.length });
  expect(record.end?.requestTruncated).toBeUndefined();
  expect(gateway.spool.problems).toEqual([]);
});

test.each([
  ["comes slowly", "Content-Length: 1000\r\n", 500],
  ["is long", "Content-Length: 3000000\r\n", 3_000_000],
])("of a refused body that %s the record has the beginning", async (_name, framing, sent) => {
  await using gateway = await startTestGateway({ keys: KEYS });
  const response = await exchangeRaw(
    gateway.port,
    `POST / HTTP/1.1\r\n${ELSEWHERE}${framing}\r\n${"x".repeat(sent)}`,
    (text) => text.includes("target_forbidden"),
  );
  expect(response).toStartWith("HTTP/1.1 403");
  const record = await gateway.spool.ended(idOf(response));
  expect(record.end?.requestTruncated).toBe(true);
  expect(record.requestBody.byteLength).toBeGreaterThan(0);
  expect(record.requestBody.byteLength).toBeLessThan(1_500_000);
});

test("a refusal has the id that the client chose, in whatever case it was sent", async () => {
  await using gateway = await startTestGateway();
  const id = crypto.randomUUID();
  const ids = `Gateway-Request-Id: ${id}\r\nGateway-Request-Id: ${id.toUpperCase()}\r\n`;
  const response = await once(gateway, "GET /", `Host: weir\r\n${AUTH}${TARGET}Gateway-Omit-Request: yes\r\n${ids}`);
  expect(bodyOf(response)).toMatchObject({ code: "invalid_header", request_id: id });
  expect((await gateway.spool.ended(id)).end?.outcome).toBe("refused");
});

test("a client that leaves before it is refused is recorded as gone", async () => {
  const queried = Promise.withResolvers<void>();
  const verdict = Promise.withResolvers<{ status: number; code: string; message: string }>();
  const onRequest = () => {
    queried.resolve();
    return verdict.promise;
  };
  const hooks = { has: () => true, onRequest, onForward: () => undefined, onEnd: () => undefined };
  await using gateway = await startTestGateway({ hooks });
  const client = net.connect(gateway.port, "127.0.0.1");
  client.write(`POST /left HTTP/1.1\r\n${gatewayHeaders("http://127.0.0.1:9", "Content-Length: 2\r\n")}\r\n{}`);
  await queried.promise;
  client.destroy();
  await gateway.spool.until(() => gateway.counts().requests.get("CUSTOM 4xx client_gone"));
  verdict.resolve({ status: 403, code: "closed", message: "come back at nine" });
  expect((await gateway.spool.endedPath("/left")).end).toMatchObject({ outcome: "client_gone", status: 499 });
  expect(gateway.spool.problems).toEqual([]);
});

test("a client that waits for 100 Continue is refused at once", async () => {
  await using gateway = await startTestGateway({ keys: KEYS });
  const head = `POST / HTTP/1.1\r\n${ELSEWHERE}Expect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n`;
  const response = await exchangeRaw(gateway.port, head, (text) => text.includes("target_forbidden"));
  expect(response).toStartWith("HTTP/1.1 403");
  expect((await gateway.spool.ended(idOf(response))).requestBody.byteLength).toBe(0);
});

test.each([
  ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400, "more than one Host"],
  ["no Host", "GET / HTTP/1.1\r\n", 400, "no Host"],
  ["an absolute target", "GET http://127.0.0.1:9/x HTTP/1.1\r\nHost: a\r\n", 400, "must be a path"],
  ["gzip, chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n", 400, "Transfer-Encoding"],
  ["chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n", 400, "Transfer-Encoding"],
  [
    "a length beside chunks",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
    400,
    "Transfer-Encoding",
  ],
  ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n", 400, "Content-Length"],
  ["a header without a colon", "GET / HTTP/1.1\r\nHost: a\r\nBroken\r\n", 400, "a header field"],
  ["a folded header", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n", 400, "a header field"],
  ["another version", "GET / HTTP/1.2\r\nHost: a\r\n", 400, "its first line"],
  ["an unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n", 405, "this method"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", 405, "this method"],
  ["too large a head", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(150_000)}\r\n`, 431, "header fields"],
  ["too many fields", `GET / HTTP/1.1\r\nHost: a\r\n${"X: 1\r\n".repeat(250)}`, 431, "header fields"],
] as const)("%s gets a JSON response with the reason and is not recorded", async (_name, head, status, why) => {
  await using gateway = await startTestGateway();
  // Nothing tells the reader to stop: the gateway has to close.
  const response = await exchangeRaw(gateway.port, `${head}${AUTH}${TARGET}\r\n`);
  expect(refusal(response)).toEqual([status, "bad_request"]);
  expect(bodyOf(response).message).toContain(why);
  expect(response).toContain("\r\nConnection: close\r\n");
  expect(gateway.spool.exchanges.size).toBe(0);
});

describe("chosen request ids", () => {
  test("the id that the client chose is the exchange's, in lower case", async () => {
    await using provider = await startProvider(({ socket }) => socket.write(OK));
    await using gateway = await startTestGateway();
    const id = crypto.randomUUID();
    const chosen = gatewayHeaders(provider.origin, `Gateway-Request-Id: ${id.toUpperCase()}\r\n`);
    expect(idOf(await once(gateway, "GET /", chosen))).toBe(id);
    expect((await gateway.spool.ended(id)).end?.outcome).toBe("complete");
    const again = await once(gateway, "GET /", chosen);
    expect(refusal(again)).toEqual([409, "duplicate_request_id"]);
    expect((await gateway.spool.ended(idOf(again))).end?.error?.code).toBe("duplicate_request_id");
  });

  test("an id that was recorded before is refused; if that is unknown, traffic continues", async () => {
    await using provider = await startProvider(({ socket }) => socket.write(OK));
    const known = crypto.randomUUID();
    const unclear = crypto.randomUUID();
    await using gateway = await startTestGateway({
      claimId: async (id) => {
        if (id === unclear) throw new Error("the recorder is away");
        return id !== known;
      },
    });
    const ask = (id: string) =>
      once(gateway, "GET /", gatewayHeaders(provider.origin, `Gateway-Request-Id: ${id}\r\n`));
    expect(refusal(await ask(known))).toEqual([409, "duplicate_request_id"]);
    expect(await ask(unclear)).toStartWith("HTTP/1.1 200");
  });

  test("of two requests with one id at a time, one is refused", async () => {
    await using provider = await startProvider(({ socket }) => socket.write(OK));
    await using gateway = await startTestGateway();
    const chosen = gatewayHeaders(provider.origin, `Gateway-Request-Id: ${crypto.randomUUID()}\r\n`);
    const responses = await Promise.all([once(gateway, "GET /", chosen), once(gateway, "GET /", chosen)]);
    expect(responses.map((response) => response.slice(9, 12)).sort()).toEqual(["200", "409"]);
  });
});

test("the gateway's own listeners are no target, whatever is allowed", async () => {
  await using gateway = await startTestGateway({
    config: { allow_private_targets: ["0.0.0.0/0", "localhost"], api_port: 45_454 },
  });
  gateway.setOwnPorts([45_455]);
  for (const port of [gateway.port, 45_454, 45_455])
    for (const host of ["127.0.0.1", "localhost", "0.0.0.0", "127.1.2.3"])
      expect(refusal(await once(gateway, "GET /", gatewayHeaders(`http://${host}:${port}`)))).toEqual([
        403,
        "target_forbidden",
      ]);
});

test("a name is looked up once, every address of the response is checked, and the checked one is called", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  using names = await startNameServer((name) => {
    if (name === "inside.test") return ["10.1.2.3"];
    if (name === "mixed.test") return ["127.0.0.1", "169.254.169.254"];
    // First an open address, then a forbidden one, as a rebinding server returns them.
    if (name === "rebinding.test") return lookupsOf(name) === 1 ? ["127.0.0.1"] : ["10.0.0.1"];
    return [];
  });
  const lookupsOf = (name: string) => names.queries.filter((query) => query === `A ${name}`).length;
  await using gateway = await startTestGateway({ config: { dns_servers: [names.address] }, privateTargets: () => [] });
  const ask = (host: string) => once(gateway, "GET /", gatewayHeaders(`http://${host}:${provider.port}`));
  const inside = await ask("inside.test");
  expect(refusal(inside)).toEqual([403, "target_forbidden"]);
  expect(bodyOf(inside).message).toContain("weir domains approve inside.test --private");
  expect(refusal(await ask("mixed.test"))).toEqual([403, "target_forbidden"]);
  expect(refusal(await ask("nowhere.test"))).toEqual([502, "upstream_unreachable"]);
  expect(await ask("rebinding.test")).toEndWith("ok");
  expect(lookupsOf("rebinding.test")).toBe(1);
});
