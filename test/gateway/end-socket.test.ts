import { expect, test } from "bun:test";
import net from "node:net";
import { endSocket } from "../../src/gateway/websocket/socket-response.ts";
import { startRawServer } from "../raw-http.ts";

test("a client that never closes its side is broken off, with the response in its hands", async () => {
  const gone = Promise.withResolvers<void>();
  await using server = await startRawServer((socket) => {
    socket.once("close", () => gone.resolve());
    socket.pause(); // as after an upgrade that was refused
    socket.write("refused");
    endSocket(socket, 50);
  });
  const client = net.connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => client.destroy());
  let seen = "";
  client.on("data", (bytes: Buffer) => {
    seen += bytes.toString("latin1");
  });
  const ended = new Promise((resolve) => client.once("end", resolve));
  await gone.promise;
  expect(server.sockets.size).toBe(0);
  await ended;
  client.destroy();
  expect(seen).toBe("refused");
});

test("a client that takes the rest slowly gets all of it", async () => {
  const text = Buffer.alloc(30_000_000, "z");
  await using server = await startRawServer((socket) => {
    socket.write(text);
    endSocket(socket, 1_000);
  });
  const client = net.connect({ port: server.port, host: "127.0.0.1" });
  let bytes = 0;
  client.on("data", (piece: Buffer) => {
    const before = bytes;
    bytes += piece.byteLength;
    if (Math.floor(bytes / 1_000_000) === Math.floor(before / 1_000_000)) return;
    client.pause();
    setTimeout(() => client.resume(), 50); // so that it is looked at before all has left
  });
  await new Promise((resolve) => client.once("close", resolve));
  expect(bytes).toBe(text.byteLength);
});
