import { expect, test } from "bun:test";
import net from "node:net";
import { exchangeRaw, startProvider } from "../../raw-http.ts";
import { type Asking, ask, chunksOf, handProvider, ownHome, parseResponse, requestText } from "../cache/asking.ts";
import { startTestGateway } from "../harness.ts";

/** A provider that sends the `responses` in order, and then repeats the last; "" breaks the connection. */
async function scripted(...responses: string[]) {
  const seen: { head: string; body: string; at: number }[] = [];
  const provider = await startProvider(({ head, body, socket }) => {
    const response = responses[Math.min(seen.length, responses.length - 1)]!;
    seen.push({ head, body: body.toString(), at: performance.now() });
    if (response === "") socket.destroy();
    else socket.write(response);
  });
  return { origin: provider.origin, seen, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

const responseText = (status: string, body: string, more = "") =>
  `HTTP/1.1 ${status}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const OK = responseText("200 OK", "fine");
const BUSY = responseText("503 Busy", "busy");

/** Retries without the cache, quick enough for a test. */
function retrying(headers: Record<string, string> = {}, more: Omit<Asking, "headers"> = {}): Asking {
  const quick = { "Gateway-Retry-Min-Timeout": "5", "Gateway-Retry-Max-Timeout": "500" };
  return {
    ...more,
    headers: { "Gateway-Cache-Enabled": "false", "Gateway-Retry-Enabled": "true", ...quick, ...headers },
  };
}

test.each([
  ["429", responseText("429 Too Many", "slow")],
  ["500", responseText("500 Oops", "oops")],
  ["529", responseText("529 Overloaded", "over")],
  ["a connection that breaks", ""],
])("after %s the provider is called again, with the same bytes", async (_name, failure) => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(failure, failure, OK);
  const response = await ask(gateway, provider.origin, retrying({ "X-Mine": "1", Authorization: "Bearer k" }));
  expect([response.status, response.body]).toEqual([200, "fine"]);
  expect(provider.seen.map(({ body }) => body)).toEqual(Array(3).fill('{"model":"m-1","n":1}'));
  for (const { head } of provider.seen) {
    expect(head).toContain("Authorization: Bearer k");
    expect(head).not.toMatch(/gateway-/i);
  }
});

test.each([
  ["a success", OK, 200],
  ["a client's mistake", responseText("400 Bad", "mine"), 400],
  ["a redirect", responseText("302 Found", "else"), 302],
])("%s is passed on at once", async (_name, response, status) => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(response);
  expect((await ask(gateway, provider.origin, retrying())).status).toBe(status);
  expect(provider.seen.length).toBe(1);
});

test("without Gateway-Retry-Enabled: true nothing is retried", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY);
  for (const enabled of ["false", undefined]) {
    const headers = { "Gateway-Retry-Num": "3", ...(enabled !== undefined && { "Gateway-Retry-Enabled": enabled }) };
    const response = await ask(gateway, provider.origin, { headers: { "Gateway-Cache-Enabled": "false", ...headers } });
    expect(response.status).toBe(503);
  }
  expect(provider.seen.length).toBe(2);
});

test("after so many retries the last failure is the response", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY, BUSY, responseText("500 Last", "last"));
  const response = await ask(gateway, provider.origin, retrying({ "Gateway-Retry-Num": "2" }));
  expect([response.status, response.body]).toEqual([500, "last"]);
  expect(provider.seen.length).toBe(3);
});

test("after the last broken connection the response is 502", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted("");
  const response = await ask(gateway, provider.origin, retrying({ "Gateway-Retry-Num": "2" }));
  expect([response.status, JSON.parse(response.body).error.code]).toEqual([502, "upstream_unreachable"]);
  expect((await gateway.spool.ended(response.id)).head?.attempt).toBe(3);
});

test("the waits grow by the factor up to the longest", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY, BUSY, BUSY, BUSY, OK);
  const headers = {
    "Gateway-Retry-Min-Timeout": "40",
    "Gateway-Retry-Factor": "10",
    "Gateway-Retry-Max-Timeout": "500",
  };
  expect((await ask(gateway, provider.origin, retrying(headers))).status).toBe(200);
  const waits = provider.seen.slice(1).map(({ at }, index) => at - provider.seen[index]!.at);
  // Were there no longest wait, the last one would outlast the test.
  for (const [index, least] of [40, 400, 500, 500].entries()) expect(waits[index]).toBeGreaterThanOrEqual(least - 5);
});

test.each([
  ["seconds", "Retry-After: 0.3", 300],
  ["milliseconds", "retry-after-ms: 250", 250],
])("Retry-After is honoured: %s", async (_name, header, least) => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(responseText("429 Slow", "slow", `${header}\r\n`), OK);
  const response = await ask(gateway, provider.origin, retrying({ "Gateway-Retry-Max-Timeout": "10000" }));
  expect(response.status).toBe(200);
  expect(provider.seen[1]!.at - provider.seen[0]!.at).toBeGreaterThan(least - 10);
});

test("Retry-After is honoured: a date", async () => {
  await using gateway = await startTestGateway();
  // Dates have whole seconds.
  const date = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000);
  await using provider = await scripted(responseText("429 Slow", "slow", `Retry-After: ${date.toUTCString()}\r\n`), OK);
  const response = await ask(gateway, provider.origin, retrying({ "Gateway-Retry-Max-Timeout": "10000" }));
  expect(response.status).toBe(200);
  expect(performance.timeOrigin + provider.seen[1]!.at).toBeGreaterThan(date.getTime() - 10);
});

test("a Retry-After beyond the longest wait ends the retries", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(responseText("429 Slow", "slow", "Retry-After: 60\r\n"), OK);
  const response = await ask(gateway, provider.origin, retrying());
  expect([response.status, response.body]).toEqual([429, "slow"]);
  expect(response.head).toContain("Retry-After: 60");
});

test("the time to the first byte is that of the last attempt", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY, OK);
  const { id } = await ask(gateway, provider.origin, retrying({ "Gateway-Retry-Min-Timeout": "200" }));
  const { begin, end } = await gateway.spool.ended(id);
  expect(end!.forwardedAt! - begin.time).toBeGreaterThan(190);
  expect(end!.firstByteAt!).toBeGreaterThanOrEqual(end!.forwardedAt!);
});

test("a response that breaks off after its head is not retried", async () => {
  await using gateway = await startTestGateway();
  await using provider = await startProvider(({ socket }) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
  );
  const response = await ask(gateway, provider.origin, retrying());
  expect(response.body).toBe("half");
  expect((await gateway.spool.ended(response.id)).end?.outcome).toBe("upstream_failed");
});

test("every failed try is a record of its own, linked to the one of the client", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted("", BUSY, OK);
  const response = await ask(gateway, provider.origin, retrying({ "Gateway-Property-App": "x" }));
  const records = await gateway.spool.until(() => {
    const all = [...gateway.spool.exchanges.values()];
    return all.length === 3 && all.every(({ end }) => end !== undefined) && all;
  });
  const tries = records.filter(({ id }) => id !== response.id);
  expect(tries.map(({ begin }) => [begin.attemptOf, begin.attempt])).toEqual([
    [response.id, 1],
    [response.id, 2],
  ]);
  const [broken, busy] = tries;
  expect(busy).toMatchObject({ head: { status: 503 }, end: { outcome: "complete" } });
  expect(busy!.responseBody.toString()).toBe("busy");
  expect(broken).toMatchObject({ head: undefined, end: { outcome: "upstream_failed", status: 502 } });
  for (const { requestBody, begin } of tries) {
    expect(requestBody.toString()).toBe('{"model":"m-1","n":1}');
    expect(begin.gateway).toContain("Gateway-Property-App");
    expect(begin.gateway.join()).not.toMatch(/cache/i);
  }
  const own = await gateway.spool.ended(response.id);
  expect(own).toMatchObject({
    begin: { target: provider.origin },
    head: { status: 200, attempt: 3 },
    end: { outcome: "complete" },
  });
  expect(own.begin.attemptOf).toBeUndefined();
  expect(gateway.spool.problems).toEqual([]);
});

test("a client that leaves while the gateway waits ends it", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY, OK);
  const client = net.connect(gateway.port, "127.0.0.1");
  // Long enough for a busy machine to notice that the client leaves.
  const waits = { "Gateway-Retry-Min-Timeout": "3000", "Gateway-Retry-Max-Timeout": "3000" };
  client.write(requestText(provider.origin, retrying(waits)));
  await gateway.spool.until(() =>
    [...gateway.spool.exchanges.values()].find(({ begin }) => begin.attemptOf !== undefined),
  );
  client.destroy();
  await gateway.spool.until(() =>
    [...gateway.spool.exchanges.values()].find(({ end }) => end?.outcome === "client_gone"),
  );
  // A later request with the same wait is retried after the first one would have been.
  await using other = await scripted(BUSY, OK);
  expect((await ask(gateway, other.origin, retrying(waits))).status).toBe(200);
  expect(provider.seen.length).toBe(1);
});

test("a stream comes through a retry piece by piece, held back by a slow client", async () => {
  await using gateway = await startTestGateway();
  await using provider = await handProvider();
  const pending = exchangeRaw(gateway.port, requestText(provider.origin, retrying()));
  (await provider.socketAt(1)).write(BUSY);
  const socket = await provider.socketAt(2);
  socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
  await gateway.spool.until(() =>
    [...gateway.spool.exchanges.values()].find((one) => one.responseBody.toString() === "one"),
  );
  socket.write("3\r\ntwo\r\n0\r\n\r\n");
  expect(chunksOf(parseResponse(await pending).wire)).toEqual(["one", "two"]);
});

test("a body over 4 MiB is passed on as it comes, once", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY);
  const body = "b".repeat(4 * 1_024 * 1_024 + 1);
  const response = await ask(gateway, provider.origin, retrying({}, { body }));
  expect(response.status).toBe(503);
  expect(provider.seen.length).toBe(1);
  expect(provider.seen[0]!.body === body).toBe(true);
});

test("a chunked body is sent again as chunks, whole", async () => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(BUSY, OK);
  const text = requestText(provider.origin, retrying()).replace(/Content-Length: \d+/, "Transfer-Encoding: chunked");
  const [head] = text.split("\r\n\r\n");
  const response = await exchangeRaw(gateway.port, `${head}\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
  expect(parseResponse(response).status).toBe(200);
  for (const { body } of provider.seen) expect(body).toBe("5\r\nabcde\r\n0\r\n\r\n");
});

test("with the cache, equal requests share the retries and the response is kept", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await scripted(BUSY, OK);
  const asking = retrying({ "Gateway-Cache-Enabled": "true", "Gateway-Retry-Min-Timeout": "50" });
  const responses = await Promise.all([1, 2, 3].map(() => ask(gateway, provider.origin, asking)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(responses.map(({ cache }) => cache).sort()).toEqual(["HIT", "HIT", "MISS"]);
  expect((await ask(gateway, provider.origin, asking)).cache).toBe("HIT");
  expect(provider.seen.length).toBe(2);
});

test.each([
  ["Gateway-Retry-Enabled: yes", '"true" or "false"'],
  ["Gateway-Retry-Num: 0", "whole number from 1 to 20"],
  ["Gateway-Retry-Num: 2.5", "whole number from 1 to 20"],
  ["Gateway-Retry-Factor: 0.5", "number from 1 to 10"],
  ["Gateway-Retry-Min-Timeout: -1", "whole number from 0 to 300000"],
  ["Gateway-Retry-Max-Timeout: 1e3", "whole number from 0 to 300000"],
])("%s is refused, saying what is allowed", async (line, allowed) => {
  await using gateway = await startTestGateway();
  await using provider = await scripted(OK);
  const [name, value] = line.split(": ") as [string, string];
  const response = await ask(gateway, provider.origin, retrying({ [name]: value }));
  expect(response.status).toBe(400);
  expect(JSON.parse(response.body).error.code).toBe("invalid_header");
  expect(JSON.parse(response.body).error.message).toContain(allowed);
  expect(provider.seen.length).toBe(0);
});
