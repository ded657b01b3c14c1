import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import net from "node:net";
import { nativeSockets } from "../../src/runtime/bun-sockets.ts";
import { type ByteSocket, type Listener, nodeSockets } from "../../src/runtime/http/sockets.ts";
import { writeJoined } from "../../src/runtime/http/write-joined.ts";
import { until } from "../until.ts";

const listeners: Listener[] = [];
const accepted: ByteSocket[] = [];
afterAll(async () => {
  const closed = listeners.map((listener) => listener.close());
  for (const socket of accepted) socket.destroy();
  await Promise.all(closed);
});

const happens = (socket: ByteSocket, event: "connect" | "drain" | "end" | "close") =>
  new Promise<void>((resolve) => socket.once(event, resolve));

describe.each([
  ["Bun", nativeSockets],
  ["node:net", nodeSockets],
] as const)("sockets of %s", (_name, sockets) => {
  async function listen(onSocket: (socket: ByteSocket) => void, host = "127.0.0.1"): Promise<Listener> {
    const listener = await sockets.listen({ host, port: 0, portShared: false }, (socket) => {
      accepted.push(socket);
      socket.on("error", () => socket.destroy());
      onSocket(socket);
    });
    listeners.push(listener);
    return listener;
  }

  /** Connected to a server that reads nothing at first; `taken` is all that it read in the end. */
  async function toSlowReader() {
    const taken = Promise.withResolvers<Buffer>();
    const listener = await listen((socket) => {
      const got: Buffer[] = [];
      socket.on("data", (bytes) => void got.push(bytes));
      socket.on("end", () => {
        taken.resolve(Buffer.concat(got));
        socket.end();
      });
      socket.pause();
      setTimeout(() => socket.resume(), 100);
    });
    const client = sockets.connect("127.0.0.1", listener.port);
    await happens(client, "connect");
    return { client, taken };
  }

  test("what a slow reader does not take waits, drains, and arrives whole before the end", async () => {
    const pieces = Array.from({ length: 40 }, (_, at) => Buffer.alloc(400_000 + at, at + 1));
    const { client, taken } = await toSlowReader();
    const room = pieces.map((piece) => client.write(piece));
    expect([room.at(-1), client.writableNeedDrain]).toEqual([false, true]);
    expect(client.writableLength).toBeGreaterThan(0);
    await happens(client, "drain");
    expect(client.writableLength).toBe(0);
    client.write(Buffer.from("last"));
    client.end();
    expect(client.writable).toBe(false);
    expect(Buffer.compare(await taken.promise, Buffer.concat([...pieces, Buffer.from("last")]))).toBe(0);
  });

  test("text and bytes that are written together arrive so, however little of them a slow reader takes", async () => {
    const pieces = Array.from({ length: 300 }, (_, at) => Buffer.alloc(60_000 + at, at));
    const { client, taken } = await toSlowReader();
    const room = pieces.map((piece, at) => writeJoined(client, `\xe9${at}:`, piece, at % 2 === 0 ? "\r\n" : ""));
    expect(room.at(-1)).toBe(false);
    writeJoined(client, "large ", Buffer.alloc(100_000, 1));
    client.end();
    const expected = pieces.flatMap((piece, at) => [
      Buffer.from(`\xe9${at}:`, "latin1"),
      piece,
      Buffer.from(at % 2 === 0 ? "\r\n" : ""),
    ]);
    const all = Buffer.concat([...expected, Buffer.from("large "), Buffer.alloc(100_000, 1)]);
    expect(Buffer.compare(await taken.promise, all)).toBe(0);
  });

  test("nothing is delivered while it is paused, not even the end", async () => {
    const seen: string[] = [];
    const begun = Promise.withResolvers<ByteSocket>();
    const listener = await listen((socket) => {
      socket.on("data", (bytes) => void seen.push(bytes.toString()));
      socket.on("end", () => void seen.push("end"));
      socket.pause();
      begun.resolve(socket);
    });
    const client = net.connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
    client.on("error", () => undefined);
    await once(client, "connect");
    const socket = await begun.promise;
    client.end("all");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen).toEqual([]);
    const ended = happens(socket, "end");
    socket.resume();
    await ended;
    expect(seen.join(" ")).toBe("all end");
    // Half open: what is written now still arrives.
    const closed = happens(socket, "close");
    socket.write(Buffer.from("answer"));
    socket.end();
    const [response] = await once(client, "data");
    expect(String(response)).toBe("answer");
    await closed;
  });

  test("a connection that is not accepted is an error with its code, and closes", async () => {
    const listener = await sockets.listen({ host: "127.0.0.1", port: 0, portShared: false }, () => undefined);
    await listener.close();
    const client = sockets.connect("127.0.0.1", listener.port);
    const error = new Promise<NodeJS.ErrnoException>((resolve) => client.on("error", resolve));
    const closed = happens(client, "close");
    expect((await error).code).toBe("ECONNREFUSED");
    await closed;
    expect(client.destroyed).toBe(true);
  });

  test("an address that the system refuses at once is an error too", async () => {
    const client = sockets.connect("255.255.255.255", 9);
    const seen: string[] = [];
    client.on("error", ({ code }) => void seen.push(`${code}`));
    const closed = happens(client, "close");
    client.once("close", () => void seen.push("close"));
    await closed;
    expect(seen).toEqual([expect.stringMatching(/^E[A-Z]+$/), "close"]);
  });

  test("one that is destroyed while it connects closes, and never says that it is open", async () => {
    const listener = await listen(() => undefined);
    const client = sockets.connect("127.0.0.1", listener.port);
    let opened = false;
    client.on("connect", () => {
      opened = true;
    });
    const closed = happens(client, "close");
    client.destroy();
    await closed;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(opened).toBe(false);
    expect(client.write(Buffer.from("x"))).toBe(false);
  });

  test("a reset is seen by the other side", async () => {
    const begun = Promise.withResolvers<ByteSocket>();
    const listener = await listen((socket) => begun.resolve(socket));
    const client = sockets.connect("127.0.0.1", listener.port);
    await happens(client, "connect");
    const errors: (string | undefined)[] = [];
    client.on("error", ({ code }) => void errors.push(code));
    const closed = happens(client, "close");
    (await begun.promise).resetAndDestroy();
    await closed;
    expect(errors).toEqual(["ECONNRESET"]);
  });

  test("a listener has closed once its last connection is gone, and takes no more meanwhile", async () => {
    const begun = Promise.withResolvers<ByteSocket>();
    const listener = await listen((socket) => begun.resolve(socket));
    const client = sockets.connect("127.0.0.1", listener.port);
    client.on("error", () => undefined);
    await happens(client, "connect");
    const socket = await begun.promise;
    let isClosed = false;
    const closed = listener.close().then(() => {
      isClosed = true;
    });
    const late = sockets.connect("127.0.0.1", listener.port);
    await new Promise((resolve) => late.on("error", resolve));
    expect(isClosed).toBe(false);
    socket.destroy();
    await closed;
  });

  test("a port that is taken is refused with its code", async () => {
    const { port } = await listen(() => undefined);
    const again = sockets.listen({ host: "127.0.0.1", port, portShared: false }, () => undefined);
    expect(await again.catch(({ code }) => code)).toBe("EADDRINUSE");
  });

  test("addresses of IPv6 are connected to", async () => {
    const listener = await listen((socket) => socket.on("data", (bytes) => socket.write(bytes)), "::1");
    const client = sockets.connect("::1", listener.port);
    await happens(client, "connect");
    const echoed = new Promise((resolve) => client.on("data", (bytes) => resolve(bytes.toString())));
    client.write(Buffer.from("six"));
    expect(await echoed).toBe("six");
    client.destroy();
  });
});

// `node:net` is Bun's own there; and an error that is not caught fails a test.
test("what a listener of a socket throws is not caught: the process hears of it", () => {
  const module = `${import.meta.dir}/../../src/runtime/bun-sockets.ts`;
  const script = `
    const { nativeSockets } = await import(${JSON.stringify(module)});
    process.on("uncaughtException", ({ message }) => { console.log(message); process.exit(); });
    const listener = await nativeSockets.listen({ host: "127.0.0.1", port: 0, portShared: false }, (socket) => {
      socket.on("error", () => undefined);
      socket.on("close", () => setTimeout(() => process.exit(1), 1_000));
      socket.on("data", () => { throw new Error("a bug"); });
    });
    const client = nativeSockets.connect("127.0.0.1", listener.port);
    client.on("error", () => undefined);
    client.on("connect", () => client.write(Buffer.from("x")));`;
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, "-e", script]);
  expect([stdout.toString(), exitCode]).toEqual(["a bug\n", 0]);
});

// The listener takes no connection, so that once its queue is full further ones get no response at all.
test("connects that are given up hold few files", async () => {
  const script = `
    require("node:net").createServer().listen(0, "127.0.0.1", function () {
      console.log(this.address().port);
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`;
  await using child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const port = Number(Buffer.from(value!).toString());
  const files = () => readdirSync("/proc/self/fd").length;
  const connect = () => {
    const socket = nativeSockets.connect("127.0.0.1", port);
    socket.on("error", () => undefined);
    return socket;
  };
  const opened: ByteSocket[] = [];
  const waiting = new Set<ByteSocket>();
  const before = files();
  while (waiting.size < 400) {
    const socket = connect();
    waiting.add(socket);
    socket.on("connect", () => {
      waiting.delete(socket);
      opened.push(socket);
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  const closed = [...waiting, ...opened].map((socket) => happens(socket, "close"));
  for (const socket of [...waiting, ...opened]) socket.destroy();
  await Promise.all(closed);
  await until(() => files() < before + 300);
}, 300_000);
