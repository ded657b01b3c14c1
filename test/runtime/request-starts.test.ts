import { expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { RequestStarts } from "../../src/runtime/http/request-starts.ts";
import type { ServerHandlers, ServerOptions } from "../../src/runtime/http/server.ts";
import { startStrictServer } from "../../src/runtime/http/strict-server.ts";

/** More than Bun asks for by itself. */
const COUNT = 700;

const start = (onRequest: ServerHandlers["onRequest"], more: Partial<ServerOptions> = {}) =>
  startStrictServer({
    ...{ host: "127.0.0.1", port: 0, headBytesMax: 10_000, headMs: 30_000, idleMs: 30_000 },
    handlers: {
      onRequest,
      onUpgrade: (_request, socket) => void socket.destroy(),
      onFault: () => Buffer.from("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    },
    ...more,
  });

const respond: ServerHandlers["onRequest"] = (_request, response) => {
  response.head(200, "OK", ["Content-Length", "2"]);
  response.end(Buffer.from("ok"));
};

test("of requests that come in one turn a few begin immediately, and the others in their order", async () => {
  const begun: number[] = [];
  const starts = new RequestStarts();
  const arrive = (count: number) => {
    const from = begun.length;
    for (let at = from; at < from + count; at++) {
      if (starts.admit({ begin: () => begun.push(at) })) begun.push(at);
    }
  };
  arrive(300);
  const first = begun.length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(100);
  await nextTurn();
  expect(begun.length).toBeLessThanOrEqual(2 * first);
  while (begun.length < 300) await nextTurn();
  expect(begun).toEqual(Array.from({ length: 300 }, (_, at) => at));
  await nextTurn();
  await nextTurn();
  arrive(first);
  expect(begun.length).toBe(300 + first);
});

test("a request that fails as it begins does not keep the others from beginning", () => {
  const program = `import { RequestStarts } from "${import.meta.dir}/../../src/runtime/http/request-starts.ts";
    process.on("uncaughtException", () => {});
    let begun = 0;
    const starts = new RequestStarts();
    for (let at = 0; at < 300; at++) {
      if (starts.admit({ begin() { begun++; if (at % 100 === 70) throw new Error("a bug"); } })) begun++;
    }
    process.on("exit", () => console.log(begun));`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
  expect(stdout.toString().trim()).toBe("300");
});

test("a client that has sent only a line end while others wait still has a deadline", async () => {
  const server = await start(respond, { headMs: 1, idleMs: 1 });
  const clients = Array.from({ length: 300 }, () => net.connect({ port: server.port, host: "127.0.0.1" }));
  await Promise.all(clients.map((client) => once(client, "connect")));
  // One that is closed before it writes gets a reset.
  const ends = clients.map((client) => {
    client.resume().on("error", () => {});
    return new Promise((resolve) => client.once("close", resolve));
  });
  for (const client of clients) client.write("\r\n");
  await Promise.all(ends);
  await server.close();
});

test("requests that one client sends at once begin a few per turn, and all get their responses in order", async () => {
  const turns = [0];
  const server = await start((request, response) => {
    if (turns.at(-1)! === 0) setImmediate(() => turns.push(0));
    turns[turns.length - 1]!++;
    response.head(200, "OK", ["Content-Length", `${request.url.length}`]);
    response.end(Buffer.from(request.url));
  });
  const client = net.connect({ port: server.port, host: "127.0.0.1" });
  let received = "";
  client.on("data", (bytes) => (received += bytes));
  const paths = Array.from({ length: COUNT }, (_, at) => `/${at}`);
  client.end(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
  await once(client, "close");
  expect(
    received
      .split("HTTP/1.1 200 OK")
      .slice(1)
      .map((each) => each.split("\r\n\r\n")[1]),
  ).toEqual(paths);
  expect(Math.max(...turns)).toBeLessThan(200);
  await server.close();
});

test("the first of many requests get their responses before the last ones begin", async () => {
  let begun = 0;
  let respondedAt: number | undefined;
  const server = await start((request, response) => {
    begun++;
    // A response that takes a turn, as that of a provider does.
    setImmediate(() => {
      respondedAt ??= begun;
      respond(request, response);
    });
  });
  const clients = await Promise.all(
    Array.from({ length: COUNT }, async () => {
      const client = net.connect({ port: server.port, host: "127.0.0.1" });
      await once(client, "connect");
      return client;
    }),
  );
  // All requests are readable in the same turn: this thread writes them before the server's event loop continues.
  const closed = clients.map((client) => once(client.resume(), "close"));
  for (const client of clients) client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await Promise.all(closed);
  expect(begun).toBe(COUNT);
  expect(respondedAt!).toBeLessThan(COUNT / 2);
  await server.close();
});

test("hundreds of clients that come together get their responses, whatever the others among them do", async () => {
  const bodies = new Set<number>();
  const server = await start((request, response) => {
    let bytes = 0;
    request.read({
      onData(piece) {
        bytes += piece.byteLength;
      },
      onEnd: () => {
        bodies.add(bytes);
        respond(request, response);
      },
      onBroken: () => false,
    });
  });
  const head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
  const ask = async (at: number) => {
    const client = net.connect({ port: server.port, host: "127.0.0.1" });
    client.on("error", () => client.destroy());
    let text = "";
    client.on("data", (bytes) => {
      text += bytes.toString();
    });
    await once(client, "connect");
    await arrived;
    const kind = at % 5;
    if (kind === 0) client.write(`${head}Content-Length: 2\r\n\r\nab`, () => client.resetAndDestroy());
    else if (kind === 1) client.end(`${head}\r\n`);
    else if (kind === 2) client.write(`${head}Content-Length: 300000\r\n\r\n${"b".repeat(300_000)}`);
    else if (kind === 3) client.end(`${head}Content-Le`);
    else client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await once(client, "close");
    return { kind, text };
  };
  let go = () => {};
  const arrived = new Promise<void>((resolve) => (go = resolve));
  const asking = Array.from({ length: 500 }, (_, at) => ask(at));
  await nextTurn();
  go();
  const responses = await Promise.all(asking);
  const responded = (kind: number, count: number) =>
    responses.filter((one) => one.kind === kind && one.text.split("HTTP/1.1 200 OK").length === count + 1);
  expect(responded(1, 1)).toHaveLength(100);
  expect(responded(2, 1)).toHaveLength(100);
  expect(responded(3, 0)).toHaveLength(100);
  expect(responded(4, 2)).toHaveLength(100);
  expect([...bodies].sort((a, b) => a - b).slice(-1)).toEqual([300_000]);
  await server.close();
});

test("clients that leave while their requests wait are noticed, as others are", async () => {
  let lost = 0;
  const server = await start((_request, response) => response.onClose(() => void lost++));
  for (let at = 0; at < 200; at++) {
    const client = net.connect({ port: server.port, host: "127.0.0.1" });
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n", () => client.destroy());
  }
  while (lost < 200) await nextTurn();
  await server.close();
});

test("requests that wait are ended with the server", async () => {
  let begun = 0;
  const server = await start(() => void begun++);
  const clients = Array.from({ length: 300 }, () => net.connect({ port: server.port, host: "127.0.0.1" }));
  const ends = clients.map((client) => once(client.resume(), "close"));
  for (const client of clients) {
    client.on("error", () => client.destroy());
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  while (begun === 0) await nextTurn();
  const closed = server.close();
  server.closeAll();
  await Promise.all([closed, ...ends]);
  const most = begun;
  await nextTurn();
  await nextTurn();
  expect(begun).toBe(most);
});

test("hundreds of connections are established before the first is accepted", async () => {
  const server = await start(respond);
  let gone = 0;
  const clients = Array.from({ length: COUNT }, () =>
    Bun.connect({ hostname: "127.0.0.1", port: server.port, socket: { data() {}, close: () => void gone++ } }),
  );
  // Nothing has been accepted: this is still the same turn. `01` is "established", `02` is "sent, no response".
  const remote = `0100007F:${server.port.toString(16).toUpperCase().padStart(4, "0")}`;
  const states = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , to]) => to === remote)
    .map(([, , , state]) => state);
  expect(states.filter((state) => state === "01")).toHaveLength(
    Math.min(COUNT, 1 + Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"))),
  );
  for (const client of await Promise.all(clients))
    client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  while (gone < COUNT) await nextTurn();
  await server.close();
});
