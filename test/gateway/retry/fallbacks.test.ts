import { expect, test } from "bun:test";
import type { GatewayRequest, Json, ProviderPlugin, RequestEnd } from "../../../src/plugin-host/contract.ts";
import { exchangeRaw, startProvider } from "../../raw-http.ts";
import { ask, handProvider, ownHome, parseResponse, requestText } from "../cache/asking.ts";
import { startTestGateway } from "../harness.ts";

async function provider(status: string, body = status) {
  const seen: { head: string; body: string }[] = [];
  const server = await startProvider(({ head, body: sent, socket }) => {
    seen.push({ head, body: sent.toString() });
    socket.write(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  return { origin: server.origin, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const falling = (list: Json, headers: Record<string, string> = {}) => ({
  headers: { "Gateway-Cache-Enabled": "false", "Gateway-Fallbacks": ascii(JSON.stringify(list)), ...headers },
});

/** JSON without bytes that a header would have to encode. */
function ascii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

test("a fallback is called with its own path, headers and members, and without the first target's credentials", async () => {
  await using gateway = await startTestGateway();
  await using first = await provider("500 Oops");
  await using second = await provider("200 OK", "second");
  const list = [
    {
      target: second.origin,
      path: "/v1/messages?beta=true",
      headers: { "x-api-key": "key-of-second", "X-Drop": null, "X-Name": "Flüsse" },
      body: { model: "m-2", max_tokens: 5, "a.b": 2 },
    },
  ];
  const { headers } = falling(list, {
    Authorization: "Bearer key-of-first",
    "X-Drop": "1",
    "X-Keep": "1",
    "X-Name": "river",
  });
  const schema = '{ "z": {"type":"string"}, "a.b": 1.0 }';
  const sent = `{"model":"m-1", "schema":${schema}, "seed":12345678901234567890, "a.b":1}`;
  const response = await ask(gateway, first.origin, { body: sent, headers });
  expect([response.status, response.body]).toEqual([200, "second"]);
  const [{ head, body } = { head: "", body: "" }] = second.seen;
  expect(head).toStartWith("POST /v1/messages?beta=true HTTP/1.1\r\n");
  expect(head).toContain(`Host: ${new URL(second.origin).host}`);
  expect(head).toContain("x-api-key: key-of-second");
  expect(head).toContain("X-Keep: 1");
  expect(Buffer.from(head, "latin1").toString("utf8")).toContain("X-Name: Flüsse");
  expect(head).not.toMatch(/key-of-first|X-Drop|river|gateway-/i);
  expect(head).toContain(`Content-Length: ${body.length}`);
  expect(body).toBe(`{"schema":${schema},"seed":12345678901234567890,"model":"m-2","max_tokens":5,"a.b":2}`);
});

test("the record is of the target that responded; the failed attempt is linked; no credential is recorded", async () => {
  const acme: ProviderPlugin = { apiVersion: 1, name: "ACME", hosts: ["localhost"] };
  await using gateway = await startTestGateway({
    providers: [acme],
    config: { allow_private_targets: ["127.0.0.1", "localhost"] },
  });
  await using first = await provider("429 Slow");
  await using second = await provider("200 OK");
  const target = second.origin.replace("127.0.0.1", "localhost");
  const list = [{ target, path: "/other?key=s3cret-path", headers: { Authorization: "Bearer s3cret-header" } }];
  const response = await ask(gateway, first.origin, falling(list));
  const own = await gateway.spool.ended(response.id);
  expect(own.begin).toMatchObject({ target: first.origin, provider: "CUSTOM" });
  expect(own.head).toMatchObject({ status: 200, attempt: 2, target, path: "/other?key=***", provider: "ACME" });
  const failed = [...gateway.spool.exchanges.values()].find(({ begin }) => begin.attemptOf === response.id);
  expect(failed).toMatchObject({ begin: { target: first.origin, attempt: 1 }, head: { status: 429 } });
  expect(JSON.stringify([...gateway.spool.exchanges.values()])).not.toContain("s3cret");
});

test("credentials stay where the target stays", async () => {
  await using gateway = await startTestGateway();
  await using first = await provider("503 Busy");
  const list = [{ target: first.origin, body: { model: "m-2" } }];
  await ask(gateway, first.origin, falling(list, { Authorization: "Bearer k" }));
  expect(first.seen.length).toBe(2);
  expect(first.seen[1]!.head).toContain("Authorization: Bearer k");
  expect(first.seen[1]!.body).toContain('"model":"m-2"');
});

test.each([
  ["by default 429, 5xx and broken connections", undefined, "503 Busy", 2],
  ["by default not a client's mistake", undefined, "404 None", 1],
  ["a status that is named", [404], "404 None", 2],
  ["a status that is not named", [404], "503 Busy", 1],
  ["a class of statuses", ["4xx"], "401 No", 2],
  ["another class", ["4xx"], "500 Oops", 1],
])("a fallback is for: %s", async (_name, on, status, calls) => {
  await using gateway = await startTestGateway();
  await using first = await provider(status);
  await using second = await provider("200 OK");
  await ask(gateway, first.origin, falling([{ target: second.origin, ...(on !== undefined && { on }) }]));
  expect(first.seen.length + second.seen.length).toBe(calls);
});

test("a target that is not there leads to the fallback", async () => {
  await using gateway = await startTestGateway();
  const gone = await provider("200 OK");
  await gone[Symbol.asyncDispose]();
  await using second = await provider("200 OK", "second");
  expect((await ask(gateway, gone.origin, falling([{ target: second.origin, on: ["network"] }]))).body).toBe("second");
});

test("fallbacks are tried in order, each with its retries, and the last failure is the response", async () => {
  await using gateway = await startTestGateway();
  await using first = await provider("500 One");
  await using second = await provider("502 Two");
  await using third = await provider("503 Three");
  const retries = { "Gateway-Retry-Enabled": "true", "Gateway-Retry-Num": "1", "Gateway-Retry-Min-Timeout": "1" };
  const response = await ask(
    gateway,
    first.origin,
    falling([{ target: second.origin }, { target: third.origin }], retries),
  );
  expect([response.status, response.body]).toEqual([503, "503 Three"]);
  expect([first, second, third].map(({ seen }) => seen.length)).toEqual([2, 2, 2]);
  expect((await gateway.spool.ended(response.id)).head?.attempt).toBe(6);
  expect(gateway.spool.exchanges.size).toBe(6);
});

test("a fallback whose members cannot be set is passed over", async () => {
  await using gateway = await startTestGateway();
  await using first = await provider("500 One");
  await using second = await provider("200 OK");
  const response = await ask(gateway, first.origin, {
    body: "no JSON",
    ...falling([{ target: second.origin, body: { model: "m" } }]),
  });
  expect(response.status).toBe(500);
  expect(second.seen.length).toBe(0);
});

test("a fallback's response is not cached", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using first = await provider("500 One");
  await using second = await provider("200 OK");
  for (let turn = 0; turn < 2; turn++) {
    const asking = falling([{ target: second.origin }], { "Gateway-Cache-Enabled": "true" });
    expect(await ask(gateway, first.origin, asking)).toMatchObject({ status: 200, cache: "MISS" });
  }
  expect(second.seen.length).toBe(2);
});

test("only requests with the same retries and fallbacks share a call, and each record names its target", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using first = await handProvider();
  await using second = await handProvider();
  const list = [{ target: second.origin, headers: { Authorization: "Bearer k-2" } }];
  const text = requestText(first.origin, falling(list, { "Gateway-Cache-Enabled": "true" }));
  const leader = exchangeRaw(gateway.port, text);
  (await first.socketAt(1)).write("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
  const socket = await second.socketAt(1);
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsec");
  const joined = Promise.withResolvers<void>();
  const follower = exchangeRaw(gateway.port, text, (received) => {
    if (received.endsWith("sec")) joined.resolve();
    return false;
  });
  await joined.promise;
  const alone = ask(gateway, first.origin);
  (await first.socketAt(2)).write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst");
  expect(await alone).toMatchObject({ body: "first", cache: "MISS" });
  socket.write("ond");
  const shared = (await Promise.all([leader, follower])).map(parseResponse);
  expect(shared.map(({ body, cache }) => [body, cache])).toEqual([
    ["second", "MISS"],
    ["second", "HIT"],
  ]);
  for (const { id } of shared) expect((await gateway.spool.ended(id)).head?.target).toBe(second.origin);
});

test("plugins see a fallback as its own request, and may refuse it", async () => {
  const calls: GatewayRequest[] = [];
  const ended: RequestEnd[] = [];
  let refuse = true;
  const hooks = {
    has: () => true,
    onRequest: () => undefined,
    onForward(request: GatewayRequest): Json {
      calls.push(request);
      if (calls.length % 2 === 0 && refuse) return { status: 403, code: "closed", message: "not there" };
    },
    onEnd: (end: RequestEnd) => void ended.push(end),
  };
  await using gateway = await startTestGateway({ hooks });
  await using first = await provider("500 One");
  await using second = await provider("200 OK");
  const asking = falling([{ target: second.origin, path: "/v2/other?key=of-the-fallback" }]);
  expect((await ask(gateway, first.origin, asking)).status).toBe(500);
  expect(second.seen.length).toBe(0);
  refuse = false;
  const { id, status } = await ask(gateway, first.origin, asking);
  expect(status).toBe(200);
  await gateway.spool.ended(id);
  expect(calls.map(({ target }) => target.origin)).toEqual([first.origin, second.origin, first.origin, second.origin]);
  expect(calls[3]!.path).toBe("/v2/other?key=***");
  expect(calls[3]!.id).not.toBe(id);
  expect(calls[3]!.gatewayHeader("fallbacks")).toBeUndefined();
  expect(ended.map((end) => end.id).sort()).toEqual(calls.map((one) => one.id).sort());
});

test.each<readonly [name: string, value: string, code: string, says: string]>([
  ["no JSON", "[", "invalid_header", ""],
  ["no list", "{}", "invalid_header", "does not fit: give a list"],
  ["an empty list", "[]", "invalid_header", ""],
  ["no target", '[{"path":"/x"}]', "invalid_header", "does not fit at 0.target: it is missing"],
  ["an unknown member", '[{"target":"http://127.0.0.1","model":"x"}]', "invalid_header", ""],
  ["a status that is none", '[{"target":"http://127.0.0.1","on":[200]}]', "invalid_header", ""],
  ["a path that is none", '[{"target":"http://127.0.0.1","path":"x"}]', "invalid_header", ""],
  ["a path with dot segments", '[{"target":"http://127.0.0.1","path":"/../x"}]', "invalid_path", ""],
  ["a header of the message", '[{"target":"http://127.0.0.1","headers":{"Content-Length":"3"}}]', "invalid_header", ""],
  ["a header with a line end", '[{"target":"http://127.0.0.1","headers":{"X":"a\\r\\nY: b"}}]', "invalid_header", ""],
  [
    "a header name with a line end",
    '[{"target":"http://127.0.0.1","headers":{"X: a\\r\\nY":"b"}}]',
    "invalid_header",
    "",
  ],
  ["a header without a name", '[{"target":"http://127.0.0.1","headers":{"":"a"}}]', "invalid_header", ""],
  ["a target with a path", '[{"target":"http://127.0.0.1/v1"}]', "invalid_target", ""],
  ["a private target", '[{"target":"http://10.0.0.1"}]', "target_forbidden", ""],
])("Gateway-Fallbacks with %s is refused", async (_name, value, code, says) => {
  await using gateway = await startTestGateway();
  await using first = await provider("200 OK");
  const response = await ask(gateway, first.origin, {
    headers: { "Gateway-Cache-Enabled": "false", "Gateway-Fallbacks": value },
  });
  const { error } = JSON.parse(response.body);
  expect(error.code).toBe(code);
  expect(error.message).toContain(says);
  expect(response.body).not.toContain("Gateway-Target-Url");
  expect(first.seen.length).toBe(0);
});

test("a path with a credential is not sent to another target", async () => {
  await using gateway = await startTestGateway();
  await using first = await provider("500 One");
  await using second = await provider("200 OK");
  const asking = { path: "/v1?key=k-1", ...falling([{ target: second.origin }]) };
  expect((await ask(gateway, first.origin, asking)).status).toBe(400);
  const own = { path: "/v1?key=k-1", ...falling([{ target: second.origin, path: "/v1?key=k-2" }]) };
  expect((await ask(gateway, first.origin, own)).status).toBe(200);
  expect(second.seen[0]!.head).toContain("/v1?key=k-2");
});
