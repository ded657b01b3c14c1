import { expect, test } from "bun:test";
import net from "node:net";
import { nativeSockets } from "../../src/runtime/bun-sockets.ts";
import { nodeSockets } from "../../src/runtime/http/sockets.ts";
import { startStrictServer } from "../../src/runtime/http/strict-server.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n";

test.each([
  ["Bun's sockets", nativeSockets],
  ["node:net", nodeSockets],
] as const)(
  "an upgrade that waited is read only by its new owner, however much came early: %s",
  async (_name, sockets) => {
    let respond = () => {};
    let early = 0;
    const bytes = 4_000_000;
    const { promise: whole, resolve: onWhole } = Promise.withResolvers<void>();
    const { promise: waits, resolve: onWaits } = Promise.withResolvers<void>();
    let received = 0;
    const server = await startStrictServer({
      ...{ host: "127.0.0.1", port: 0, headBytesMax: 10_000, headMs: 30_000, idleMs: 30_000 },
      sockets: {
        ...sockets,
        listen: (options, onSocket) =>
          sockets.listen(options, (socket) => {
            onSocket(socket);
            socket.on("data", (piece) => {
              received += piece.byteLength;
              if (received > 100_000) onWaits(); // more than is kept in memory
            });
          }),
      },
      handlers: {
        onRequest(_request, response) {
          respond = () => {
            response.head(200, "OK", ["Content-Length", "0"]);
            response.end();
          };
        },
        onUpgrade(_request, socket, first) {
          early = first.byteLength;
          socket.on("error", () => socket.destroy()); // the client may leave with a reset
          // As an owner does that first asks others.
          setTimeout(() => {
            let got = early;
            socket.on("data", (piece) => {
              got += piece.byteLength;
              if (got === bytes) onWhole();
            });
            socket.resume();
          }, 20);
        },
        onFault: () => Buffer.from(""),
      },
    });
    const client = net.connect({ port: server.port, host: "127.0.0.1" });
    client.write(`${GET}\r\n${GET}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
    client.write(Buffer.alloc(bytes));
    await waits;
    respond();
    await whole;
    expect(early).toBeGreaterThan(64 * 1_024);
    client.destroy();
    await server.close();
  },
);
