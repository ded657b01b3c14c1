import { expect, test } from "bun:test";
import { once } from "node:events";
import net from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Accepting } from "../../src/runtime/http/accepting.ts";
import type { ByteSocket } from "../../src/runtime/http/sockets.ts";
import { startStrictServer } from "../../src/runtime/http/strict-server.ts";

const sockets = (count: number) => Array.from({ length: count }, () => new net.Socket());

test("of connections that come in one turn a few are begun at once, and the others in their order", async () => {
  const begun: ByteSocket[] = [];
  const accepting = new Accepting((socket) => void begun.push(socket));
  const all = sockets(300);
  for (const socket of all) accepting.take(socket);
  const first = begun.length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(100);
  await nextTurn();
  expect(begun.length).toBeLessThanOrEqual(2 * first);
  while (begun.length < all.length) await nextTurn();
  expect(begun).toEqual(all);
  await nextTurn();
  await nextTurn();
  for (const socket of sockets(first)) accepting.take(socket);
  expect(begun.length).toBe(all.length + first);
});

test("a connection that ends while it waits is not begun, and its error affects no other", async () => {
  const begun: ByteSocket[] = [];
  const accepting = new Accepting((socket) => void begun.push(socket));
  const all = sockets(200);
  for (const socket of all) accepting.take(socket);
  const [gone, broken] = [all[198]!, all[199]!];
  gone.destroy();
  broken.destroy(new Error("reset"));
  while (begun.length < 198) await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(begun).toEqual(all.slice(0, 198));
});

test("those that wait are ended with the server", async () => {
  const accepting = new Accepting(() => undefined);
  const all = sockets(200);
  for (const socket of all) accepting.take(socket);
  accepting.destroyWaiting();
  expect(all.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(100);
});

test("hundreds of clients that come at once get their responses, whatever the others among them do", async () => {
  const server = await startStrictServer({
    ...{ host: "127.0.0.1", port: 0, headBytesMax: 10_000, headMs: 30_000, idleMs: 30_000 },
    handlers: {
      onRequest(_request, response) {
        response.head(200, "OK", ["Content-Length", "2"]);
        response.end(Buffer.from("ok"));
      },
      onUpgrade: (_request, socket) => void socket.destroy(),
      onFault: () => Buffer.from("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    },
  });
  const ask = async (at: number) => {
    const client = net.connect({ port: server.port, host: "127.0.0.1" });
    client.on("error", () => client.destroy());
    if (at % 3 === 0) {
      await once(client, "connect");
      client.resetAndDestroy();
      return "left";
    }
    let text = "";
    client.on("data", (bytes) => {
      text += bytes.toString();
    });
    const request = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    if (at % 3 === 1) client.end(request);
    else client.write(request);
    await once(client, "close");
    return text;
  };
  const responses = await Promise.all(Array.from({ length: 300 }, (_, at) => ask(at)));
  expect(responses.filter((text) => text.startsWith("HTTP/1.1 200 OK") && text.endsWith("ok")).length).toBe(200);
  const closed = server.close();
  server.closeAll();
  await closed;
});
