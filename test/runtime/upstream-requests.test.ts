import { describe, expect, test } from "bun:test";
import { METHODS } from "node:http";
import type { Socket } from "node:net";
import type { UpstreamRequest } from "../../src/runtime/http/upstream.ts";
import { UpstreamError } from "../../src/runtime/http/upstream.ts";
import { OK, startProvider, startRawServer } from "../raw-http.ts";
import { ask, loopback, UPSTREAMS } from "./upstreams.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

const SENT: readonly (readonly [string, Partial<UpstreamRequest>, string])[] = [
  ["a bare GET", {}, "GET / HTTP/1.1\r\nHost: provider.test\r\n\r\n"],
  [
    "odd paths",
    { path: "//a//b/./c%2e%2e/%2F?%zz&;x=[{}]'\"<>^`|\\" },
    "GET //a//b/./c%2e%2e/%2F?%zz&;x=[{}]'\"<>^`|\\ HTTP/1.1\r\nHost: provider.test\r\n\r\n",
  ],
  ["an empty query", { path: "/a?" }, "GET /a? HTTP/1.1\r\nHost: provider.test\r\n\r\n"],
  [
    "headers in their order, case and number, values exact",
    { headers: ["x-B", "1", "Host", "h", "X-b", " 2", "X-Empty", "", "Cookie", "a", "cookie", "b", "X-L", "caf\xe9"] },
    "GET / HTTP/1.1\r\nx-B: 1\r\nHost: h\r\nX-b:  2\r\nX-Empty: \r\nCookie: a\r\ncookie: b\r\nX-L: caf\xe9\r\n\r\n",
  ],
  ["a POST without a body", { method: "POST" }, "POST / HTTP/1.1\r\nHost: provider.test\r\n\r\n"],
  [
    "a POST with an empty body",
    { method: "POST", headers: ["Host", "h", "Content-Length", "0"], framing: "length", body: bytes("") },
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
  ],
  [
    "a body in memory",
    { method: "POST", headers: ["Content-Length", "4", "Host", "h"], framing: "length", body: bytes("\x00\xffab") },
    "POST / HTTP/1.1\r\nContent-Length: 4\r\nHost: h\r\n\r\n\x00\xffab",
  ],
  [
    "a GET with a body",
    { headers: ["Host", "h", "Content-Length", "2"], framing: "length", body: bytes("ok") },
    "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok",
  ],
];

describe.each(UPSTREAMS)("upstream over %s", (client, createUpstream) => {
  test.each(SENT)("sends %s byte for byte", async (_name, request, expected) => {
    const seen: string[] = [];
    await using provider = await startProvider(({ head, body, socket }) => {
      seen.push(head + body.toString("latin1"));
      socket.write(OK);
    });
    const upstream = createUpstream({ resolve: loopback });
    expect((await ask(upstream, provider.port, request).done).error).toBeUndefined();
    expect(seen).toEqual([expected]);
    upstream.close();
  });

  test("sends every method as it is", async () => {
    const seen: string[] = [];
    await using provider = await startProvider(({ head, socket }) => {
      seen.push(head.split(" ")[0]!);
      socket.write(head.startsWith("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" : OK);
    });
    const upstream = createUpstream({ resolve: loopback });
    const methods = [...METHODS.filter((method) => method !== "CONNECT"), "PURGEX"];
    for (const method of methods) expect((await ask(upstream, provider.port, { method }).done).ended).toBe(true);
    expect(seen).toEqual(methods);
    upstream.close();
  });

  test("sends a body piece by piece, with a length and in chunks", async () => {
    for (const framing of ["length", "chunked"] as const) {
      const seen = Promise.withResolvers<string>();
      await using provider = await startProvider(({ body, socket }) => {
        seen.resolve(body.toString("latin1"));
        socket.write(OK);
      });
      const upstream = createUpstream({ resolve: loopback });
      const header = framing === "length" ? ["Content-Length", "6"] : ["Transfer-Encoding", "chunked"];
      const { call, done } = ask(upstream, provider.port, {
        method: "PUT",
        headers: ["Host", "h", ...header],
        framing,
      });
      for (const piece of ["ab", "cde", "f"]) call.write(bytes(piece));
      call.end();
      expect((await done).ended).toBe(true);
      expect(await seen.promise).toBe(framing === "length" ? "abcdef" : "2\r\nab\r\n3\r\ncde\r\n1\r\nf\r\n0\r\n\r\n");
      upstream.close();
    }
  });

  test("ends an empty body in chunks", async () => {
    const seen: string[] = [];
    await using provider = await startProvider(({ head, body, socket }) => {
      seen.push(head + body.toString());
      socket.write(OK);
    });
    const upstream = createUpstream({ resolve: loopback });
    const request = { method: "PUT", headers: ["Transfer-Encoding", "chunked"], framing: "chunked" } as const;
    for (let at = 0; at < 2; at++) {
      const { call, done } = ask(upstream, provider.port, request);
      call.end();
      expect((await done).ended).toBe(true);
    }
    expect(seen).toEqual(Array(2).fill("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"));
    upstream.close();
  });

  test("a provider that does not read holds the writer back, and a drain lets it continue", async () => {
    const sockets: Socket[] = [];
    await using provider = await startRawServer((socket) => {
      socket.pause();
      sockets.push(socket);
    });
    const upstream = createUpstream({ resolve: loopback });
    const size = 64 * 1_024 * 1_024;
    const { call, done, drained } = ask(upstream, provider.port, {
      method: "PUT",
      headers: ["Host", "h", "Content-Length", String(size)],
      framing: "length",
    });
    const piece = Buffer.alloc(256 * 1_024, 7);
    let sent = 0;
    // Kernel buffers take some MB first.
    while (sent < size) {
      const room = drained();
      sent += piece.byteLength;
      if (call.write(piece)) continue;
      const waited = await Promise.race([room.then(() => "drain"), Bun.sleep(300).then(() => "held")]);
      if (waited === "held") break;
    }
    expect(sent).toBeLessThan(size);
    let read = 0;
    sockets[0]!.on("data", (more: Buffer) => {
      read += more.byteLength;
      if (read >= size) sockets[0]!.write(OK);
    });
    const room = drained();
    sockets[0]!.resume();
    await room;
    for (; sent < size; sent += piece.byteLength) if (!call.write(piece)) await drained();
    call.end();
    expect((await done).ended).toBe(true);
    expect(read).toBeGreaterThanOrEqual(size);
    upstream.close();
  });

  test("a paused response stops coming and continues where it stopped", async () => {
    const total = 32 * 1_024 * 1_024;
    await using provider = await startProvider(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`);
      socket.write(Buffer.alloc(total, 1));
    });
    const upstream = createUpstream({ resolve: loopback });
    const { response, call, head, done } = ask(upstream, provider.port);
    await head;
    call.pause();
    const before = response.body.byteLength;
    await Bun.sleep(50);
    expect(response.body.byteLength).toBe(before);
    call.resume();
    expect((await done).body.byteLength).toBe(total);
    upstream.close();
  });

  test("an aborted request closes the provider's connection and reports nothing", async () => {
    const closed = Promise.withResolvers<void>();
    await using provider = await startProvider(({ socket }) => {
      socket.on("close", () => closed.resolve());
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    });
    const upstream = createUpstream({ resolve: loopback });
    const { response, call, head } = ask(upstream, provider.port);
    await head;
    call.abort();
    await closed.promise;
    expect([response.ended, response.error]).toEqual([undefined, undefined]);
    upstream.close();
  });

  const POST = {
    method: "POST",
    headers: ["Host", "h", "Content-Length", "2"],
    framing: "length",
    body: bytes("hi"),
  } as const;
  const DELETE = { method: "DELETE" } as const;
  const PROCESSING = "HTTP/1.1 102 Processing\r\n\r\n";
  const AT_ONCE = 60_000;
  const LATE = 0;

  test.each([
    ["a POST whose kept connection was closed at once is sent once more", POST, AT_ONCE, "", 1, "ended"],
    ["a POST whose kept connection was closed late is not sent again", POST, LATE, "", 1, "broken"],
    ["a DELETE whose kept connection was closed late is sent once more", DELETE, LATE, "", 1, "ended"],
    ["a request is never sent a third time", POST, AT_ONCE, "", 2, "broken"],
    ["a POST of which something was answered is not sent again", POST, AT_ONCE, PROCESSING, 1, "broken"],
    ["a DELETE of which something was answered is not sent again", DELETE, AT_ONCE, PROCESSING, 1, "broken"],
  ] as const)("%s", async (_name, request, unreadMs, before, closes, outcome) => {
    let requests = 0;
    await using provider = await startRawServer((socket) => {
      socket.on("data", () => {
        requests++;
        if (requests === 1 || requests > 1 + closes) socket.write(OK);
        else socket.end(before);
      });
    });
    const upstream = createUpstream({ resolve: loopback, unreadMs });
    expect((await ask(upstream, provider.port, request).done).ended).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    const { ended, error } = await ask(upstream, provider.port, request).done;
    expect(ended ? "ended" : error?.kind).toBe(outcome);
    const resent = closes === 2 || outcome === "ended";
    expect(requests).toBe(resent ? 3 : 2);
    upstream.close();
  });

  test("a fresh connection that is closed is not tried again", async () => {
    let connections = 0;
    await using provider = await startRawServer((socket) => {
      connections++;
      socket.on("data", () => socket.destroy());
    });
    const upstream = createUpstream({ resolve: loopback });
    const { error } = await ask(upstream, provider.port).done;
    expect([error?.kind, connections]).toEqual(["broken", 1]);
    upstream.close();
  });

  test("a request on a kept-alive connection has the time of its sending", async () => {
    await using provider = await startRawServer((socket) => socket.on("data", () => socket.write(OK)));
    const upstream = createUpstream({ resolve: loopback });
    const first = ask(upstream, provider.port);
    expect(first.call.sentMs).toBeUndefined();
    await first.done;
    const beforeMs = performance.now();
    const { call, done } = ask(upstream, provider.port);
    // `node:http` does not know it: its caller looks at the clock.
    const sentMs = client === "node:http" ? beforeMs : call.sentMs!;
    expect(sentMs).toBeGreaterThanOrEqual(beforeMs);
    expect(sentMs).toBeLessThanOrEqual(performance.now());
    await done;
    upstream.close();
  });

  test("unsolicited bytes drop an idle connection", async () => {
    let connections = 0;
    const sockets: Socket[] = [];
    await using provider = await startRawServer((socket) => {
      connections++;
      sockets.push(socket);
      socket.on("data", () => socket.write(OK));
    });
    const upstream = createUpstream({ resolve: loopback });
    await ask(upstream, provider.port).done;
    const closed = new Promise((resolve) => sockets[0]!.on("close", resolve));
    sockets[0]!.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    await closed;
    expect((await ask(upstream, provider.port).done).body.toString()).toBe("ok");
    expect(connections).toBe(2);
    upstream.close();
  });

  test("bytes behind a response are dropped with their connection", async () => {
    let connections = 0;
    await using provider = await startRawServer((socket) => {
      connections++;
      socket.on("data", () => socket.write(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`));
    });
    const upstream = createUpstream({ resolve: loopback });
    for (let at = 0; at < 2; at++) {
      expect((await ask(upstream, provider.port).done).body.toString()).toBe("ok");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections).toBe(2);
    upstream.close();
  });

  test("a response before the body was sent is passed on, and its connection not used again", async () => {
    let connections = 0;
    await using provider = await startRawServer((socket) => {
      connections++;
      socket.once("data", () => socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"));
    });
    const upstream = createUpstream({ resolve: loopback });
    const { call, done } = ask(upstream, provider.port, {
      method: "PUT",
      headers: ["Host", "h", "Content-Length", "1000"],
      framing: "length",
    });
    call.write(bytes("some"));
    expect(await done).toMatchObject({ status: 413, ended: true });
    await ask(upstream, provider.port).done;
    expect(connections).toBe(2);
    upstream.close();
  });

  test("a refusal of the resolver is what the caller hears", async () => {
    const upstream = createUpstream({
      resolve: async () => {
        throw new UpstreamError("forbidden", "not there");
      },
    });
    for (const host of ["provider.test", "127.0.0.1"]) {
      const { error } = await ask(upstream, 9, { origin: { secure: false, host, port: 9 } }).done;
      expect([error?.kind, error?.message]).toEqual(["forbidden", "not there"]);
    }
    upstream.close();
  });

  test("a switch of protocols gives the socket away with what came behind the head", async () => {
    await using provider = await startProvider(({ socket }) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nearly");
      socket.on("data", (more: Buffer) => socket.write(more));
    });
    const upstream = createUpstream({ resolve: loopback });
    const heard = Promise.withResolvers<string>();
    upstream.open(
      {
        origin: { secure: false, host: "provider.test", port: provider.port },
        method: "GET",
        path: "/",
        headers: ["Host", "h", "Connection", "Upgrade", "Upgrade", "websocket"],
        framing: "none",
        upgrade: true,
      },
      {
        onHead: () => heard.reject(new Error("a head")),
        onData: () => heard.reject(new Error("body bytes")),
        onEnd: () => heard.reject(new Error("an end")),
        onError: (error) => heard.reject(error),
        onUpgrade(status, _reason, _headers, socket, early) {
          let text = `${status} ${Buffer.from(early).toString()}`;
          socket.on("data", (more: Buffer) => {
            text += more.toString();
            if (text.endsWith("pong")) heard.resolve(text);
          });
          socket.resume();
          socket.write(Buffer.from("pong"));
        },
      },
    );
    expect(await heard.promise).toBe("101 earlypong");
    upstream.close();
  });
});
