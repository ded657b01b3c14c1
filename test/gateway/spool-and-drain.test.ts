import { expect, test } from "bun:test";
import net from "node:net";
import { exchangeRaw, OK, startProvider, startRawServer } from "../raw-http.ts";
import { until } from "../until.ts";
import { gatewayHeaders, idOf, MemorySpool, once, startTestGateway } from "./harness.ts";

test("with a full spool traffic continues, or is refused, as configured", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  for (const [choice, status] of [
    ["serve", "200"],
    ["refuse", "503"],
  ] as const) {
    await using gateway = await startTestGateway({ config: { on_spool_full: choice } });
    gateway.spool.full = true;
    const response = await once(gateway, "GET /", gatewayHeaders(provider.origin));
    expect(response.slice(9, 12)).toBe(status);
    if (choice === "refuse") expect(response).toMatch(/^Retry-After: 2\r\n[\s\S]*"code":"spool_full"/m);
    expect(gateway.spool.problems).toEqual([]);
  }
});

test("with spool_sync = always no response leaves before the spool is on the disk", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  const synced = Promise.withResolvers<void>();
  const spool = new MemorySpool();
  spool.syncing = synced.promise;
  await using gateway = await startTestGateway({ config: { spool_sync: "always" }, spool });
  let hasResponse = false;
  const response = once(gateway, "GET /", gatewayHeaders(provider.origin)).then((text) => {
    hasResponse = true;
    return text;
  });
  await spool.until(() => [...spool.exchanges.values()][0]?.head);
  // Responses that wait for no disk overtake it.
  await using quick = await startTestGateway();
  for (let at = 0; at < 3; at++) await once(quick, "GET /", gatewayHeaders(provider.origin));
  expect(hasResponse).toBe(false);
  synced.resolve();
  expect(await response).toEndWith("ok");
  expect((await spool.ended(idOf(await response))).end?.outcome).toBe("complete");
});

test("a request without a body or with a short one is in the page cache before it leaves for its provider", async () => {
  const spool = new MemorySpool();
  const flushed: number[] = [];
  await using provider = await startProvider(({ socket }) => {
    flushed.push(spool.flushed.size);
    socket.write(OK);
  });
  await using gateway = await startTestGateway({ spool });
  await once(gateway, "GET /", gatewayHeaders(provider.origin)); // on a new connection, the others on the kept one
  await once(gateway, "GET /", gatewayHeaders(provider.origin));
  await once(gateway, "POST /", gatewayHeaders(provider.origin, "Content-Length: 4\r\n"), "body");
  expect(flushed).toEqual([1, 2, 3]);
});

test("draining refuses new connections, waits for requests in flight, and cuts those that take too long", async () => {
  const sockets = new Map<string, net.Socket>();
  await using provider = await startProvider(({ head, socket }) => {
    sockets.set(head.split(" ")[1]!, socket);
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
  });
  const gateway = await startTestGateway();
  const finishes = once(gateway, "GET /finishes", gatewayHeaders(provider.origin));
  const cut = once(gateway, "GET /cut", gatewayHeaders(provider.origin));
  await gateway.spool.until(() => sockets.size === 2 && gateway.spool.exchanges.size === 2);
  const drained = gateway.drain(2);
  expect(gateway.status().draining).toBe(true);
  sockets.get("/finishes")!.write("3\r\ntwo\r\n0\r\n\r\n");
  const connects = () =>
    new Promise<boolean>((resolve) => {
      const socket = net.connect(gateway.port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
  await until(async () => !(await connects()));
  expect(await finishes).toEndWith("two\r\n0\r\n\r\n");
  expect(await cut).toEndWith("one\r\n");
  await drained;
  expect((await gateway.spool.endedPath("/finishes")).end?.outcome).toBe("complete");
  expect((await gateway.spool.endedPath("/cut")).end).toMatchObject({ outcome: "cut_off", status: 500 });
});

test("a request that waits for its provider when the time is up gets a 503", async () => {
  await using provider = await startRawServer(() => undefined);
  const gateway = await startTestGateway();
  const response = once(gateway, "GET /waits", gatewayHeaders(provider.origin));
  await gateway.spool.until(() => gateway.spool.exchanges.size === 1);
  await gateway.drain(0);
  expect(await response).toMatch(/^Retry-After: 2\r\n[\s\S]*"code":"shutting_down"/m);
  expect((await gateway.spool.endedPath("/waits")).end).toMatchObject({ outcome: "cut_off", status: 503 });
});

test("draining with nothing in flight waits for nothing, also with kept connections", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  const gateway = await startTestGateway();
  const kept = net.connect(gateway.port, "127.0.0.1");
  kept.write(`GET / HTTP/1.1\r\n${gatewayHeaders(provider.origin)}\r\n`);
  await new Promise((resolve) => kept.once("data", resolve));
  await gateway.drain(3_600);
});

test("hooks see a request without credentials and may refuse it", async () => {
  await using provider = await startProvider(({ socket }) => socket.write(OK));
  const seen: unknown[] = [];
  await using gateway = await startTestGateway({
    hooks: {
      has: () => true,
      onForward: () => undefined,
      onEnd: () => undefined,
      onRequest(request) {
        const { id, method, path, target, provider, headers, organizationId, userId, properties } = request;
        seen.push({ id, method, path, target, provider, headers: [...headers], organizationId, userId, properties });
        return request.path === "/closed"
          ? { status: 403, code: "closed", message: "come back at nine", headers: { "retry-after": "60" } }
          : undefined;
      },
    },
  });
  const headers = gatewayHeaders(
    provider.origin,
    "Authorization: Bearer sk\r\nX-A: 1\r\nGateway-User-Id: u\r\nGateway-User-Id:\r\nGateway-Property-Team: n\xc3\xa4cht\r\n",
  );
  const response = await exchangeRaw(gateway.port, `GET /closed HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  expect(response).toStartWith("HTTP/1.1 403");
  expect(response).toContain("retry-after: 60\r\n");
  expect(response).toContain('"code":"closed"');
  expect(seen[0]).toMatchObject({
    method: "GET",
    path: "/closed",
    provider: "CUSTOM",
    organizationId: "org-1",
    userId: "u",
    properties: { Team: "n\u00e4cht" },
    target: { origin: provider.origin, host: "127.0.0.1", owner: undefined },
  });
  expect(JSON.stringify(seen[0])).not.toContain("sk");
  expect((await gateway.spool.ended(idOf(response))).end).toMatchObject({
    outcome: "refused",
    error: { code: "closed" },
  });
  expect(await once(gateway, "GET /open", headers)).toEndWith("ok");
});
