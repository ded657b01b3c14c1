import { afterAll, describe, expect, test } from "bun:test";
import net from "node:net";
import { nativeSockets } from "../../src/runtime/bun-sockets.ts";
import type {
  BodySink,
  IncomingRequest,
  Server,
  ServerOptions,
  ServerResponse,
} from "../../src/runtime/http/server.ts";
import { nodeSockets } from "../../src/runtime/http/sockets.ts";
import { startStrictServer } from "../../src/runtime/http/strict-server.ts";
import { exchangeRaw } from "../raw-http.ts";

type Serve = (request: IncomingRequest, response: ServerResponse) => void;

const servers: Server[] = [];
afterAll(async () => {
  for (const server of servers) {
    const closed = server.close();
    server.closeAll();
    await closed;
  }
});

describe.each([
  ["Bun's sockets", nativeSockets],
  ["node:net", nodeSockets],
] as const)("over %s", (_name, sockets) => {
  async function start(onRequest: Serve, more: Partial<ServerOptions> = {}): Promise<Server> {
    const server = await startStrictServer({
      host: "127.0.0.1",
      port: 0,
      headBytesMax: 10_000,
      headMs: 30_000,
      idleMs: 30_000,
      sockets,
      handlers: {
        onRequest,
        onUpgrade(_request, socket, early) {
          socket.write(Buffer.from(`switched, early ${Buffer.from(early).toString()}`));
          socket.end();
          socket.resume();
        },
        onFault: (fault) => Buffer.from(`HTTP/1.1 400 ${fault}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
      },
      ...more,
    });
    servers.push(server);
    return server;
  }

  /** Takes a body whole. */
  function collect(request: IncomingRequest, onWhole: (body: string) => void): void {
    let body = "";
    request.read({
      onData: (bytes) => {
        body += Buffer.from(bytes).toString("latin1");
      },
      onEnd: () => onWhole(body),
      onBroken: () => false,
    });
  }

  function say(response: ServerResponse, text: string, ...headers: string[]): void {
    response.head(200, "OK", ["Content-Length", String(text.length), ...headers]);
    response.end(Buffer.from(text));
  }

  const echo: Serve = (request, response) =>
    collect(request, (body) => say(response, `${request.method} ${request.url} ${body}`));
  const GET = "GET /x HTTP/1.1\r\nHost: a\r\n";
  const POST = "POST /x HTTP/1.1\r\nHost: a\r\n";
  const CLOSE = "Connection: close\r\n\r\n";

  test("requests on one connection get responses in order, even if one is late", async () => {
    const server = await start((request, response) =>
      collect(request, (body) => setTimeout(() => say(response, `${request.url}:${body};`), body === "slow" ? 60 : 0)),
    );
    const wire = `POST /1 HTTP/1.1\r\nContent-Length: 4\r\n\r\nslowPOST /2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfast\r\n0\r\n\r\nGET /3 HTTP/1.1\r\n${CLOSE}`;
    const response = await exchangeRaw(server.port, wire);
    expect(response.match(/\/\d:\w*;/g)).toEqual(["/1:slow;", "/2:fast;", "/3:;"]);
  });

  test.each([
    [
      "a length",
      `${POST}Content-Length: 2\r\n${CLOSE}hi`,
      "\r\nContent-Length: 10\r\nConnection: close\r\n\r\nPOST /x hi",
    ],
    ["HTTP/1.0", "GET /x HTTP/1.0\r\n\r\n", "\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /x "],
  ] as const)("only the framing is added to a response: %s", async (_name, wire, rest) => {
    const server = await start(echo);
    expect(await exchangeRaw(server.port, wire)).toStartWith(`HTTP/1.1 200 OK${rest}`.replace(": 8", ": 7"));
  });

  test.each([
    [
      "GET",
      "1.1",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
    ],
    ["GET", "1.0", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc"],
    ["HEAD", "1.1", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"],
  ] as const)(
    "a response without a length, to %s in HTTP/%s, is framed as that client can read it",
    async (method, version, wire) => {
      const server = await start((_request, response) => {
        response.head(200, "OK", []);
        response.flush();
        response.write(Buffer.from("ab"));
        response.end(Buffer.from("c"));
      });
      expect(await exchangeRaw(server.port, `${method} / HTTP/${version}\r\n${CLOSE}`)).toBe(wire);
    },
  );

  test.each([
    ["shorter", "ab"],
    ["longer", "abcdef"],
  ])("a response that is %s than its length says breaks the connection", async (_name, text) => {
    const server = await start((_request, response) => {
      response.head(200, "OK", ["Content-Length", "4"]);
      response.end(Buffer.from(text));
    });
    expect(await exchangeRaw(server.port, `${GET}\r\n${GET}\r\n`)).not.toMatch(/abcd|HTTP[\s\S]*HTTP/);
  });

  test("a client that half-closes after several requests gets all responses, immediate ones included", async () => {
    const server = await start((request, response) => {
      if (request.url === "/late") setTimeout(() => say(response, "late;"), 50);
      else say(response, "now;");
    });
    const client = net.connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    client.end(`GET /late HTTP/1.1\r\n\r\n${`${GET}\r\n`.repeat(3)}`);
    let seen = "";
    client.on("data", (piece: Buffer) => {
      seen += piece.toString("latin1");
    });
    await new Promise((resolve) => client.once("close", resolve));
    expect(seen.match(/\w+;/g)).toEqual(["late;", "now;", "now;", "now;"]);
  });

  test("a client that takes no responses gets no more of them made", async () => {
    let calls = 0;
    const text = "z".repeat(10_000);
    const server = await start((_request, response) => {
      calls++;
      say(response, text);
    });
    const count = 5_000;
    const client = net.connect({ port: server.port, host: "127.0.0.1" });
    client.pause();
    client.write(`${GET}\r\n`.repeat(count));
    for (let before = -1; before !== calls || calls === 0; await new Promise((resolve) => setTimeout(resolve, 100)))
      before = calls;
    expect(calls).toBeLessThan(count / 2);
    let bytes = 0;
    await new Promise<void>((resolve) => {
      client.on("data", (piece: Buffer) => {
        bytes += piece.byteLength;
        if (bytes >= count * text.length && calls === count) resolve();
      });
      client.resume();
    });
    client.destroy();
    expect(calls).toBe(count);
  });

  test("characters that could begin another line of the head are replaced", async () => {
    const server = await start((_request, response) =>
      say(response, "", "X-A", "1\r\nX-B: 2", "X-C", "\u010d\u010a\u0000caf\u00e9"),
    );
    const response = await exchangeRaw(server.port, `${GET}${CLOSE}`);
    expect(response).toContain("\r\nX-A: 1  X-B: 2\r\nX-C:    caf\u00e9\r\n");
  });

  test("framing headers of a response are sent once, whichever side sets them", async () => {
    const more = ["Transfer-Encoding", "chunked", "content-length", "9"];
    const server = await start((_request, response) => say(response, "abc", ...more));
    const response = await exchangeRaw(server.port, `${GET}\r\n${GET}${CLOSE}`);
    expect(response.match(/^[\w-]+: .*$|abc/gim)).toEqual([
      "Content-Length: 3",
      "abc",
      "Content-Length: 3",
      "Connection: close",
      "abc",
    ]);
  });

  test("a response that was out before its request's body broke is not lost", async () => {
    const server = await start((_request, response) => say(response, "early"));
    const wire = [`${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, "x".repeat(1_000_000), `${GET}\r\n`];
    expect((await exchangeRaw(server.port, wire)).match(/HTTP|early/g)).toEqual(["HTTP", "early"]);
  });

  test("an unread body is discarded, and the next request is served", async () => {
    const server = await start((request, response) => say(response, `${request.url};`));
    const body = "x".repeat(3_000_000);
    const wire = [`POST /1 HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`, body, `GET /2 HTTP/1.1\r\n${CLOSE}`];
    expect((await exchangeRaw(server.port, wire)).match(/\/\d;/g)).toEqual(["/1;", "/2;"]);
  });

  test("a client that sends all of a large body before it looks for the response finds it", async () => {
    const server = await start((_request, response) => say(response, "refused"));
    const client = net.connect({ port: server.port, host: "127.0.0.1" });
    client.on("error", () => client.destroy());
    client.pause();
    const piece = Buffer.alloc(1_024 * 1_024);
    client.write(`POST / HTTP/1.1\r\nContent-Length: ${101 * piece.byteLength}\r\n\r\n`);
    for (let sent = 0; sent < 101; sent++) await new Promise((resolve) => client.write(piece, resolve));
    const response = await new Promise<string>((resolve) => {
      client.once("data", (bytes: Buffer) => resolve(bytes.toString("latin1")));
      client.once("close", () => resolve("closed"));
      client.resume();
    });
    client.destroy();
    expect(response).toEndWith("refused");
  });

  test("a client whose request cannot be read gets the response, however much it sends behind it", async () => {
    const server = await start(echo);
    const response = await exchangeRaw(server.port, [`${POST}X\r\n\r\n`, "x".repeat(3_000_000)]);
    expect(response).toStartWith("HTTP/1.1 400 malformed");
  });

  test("a broken body ends the request with what its reader says, or with the connection", async () => {
    const wire = `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n${GET}\r\n`;
    const sink = (onBroken: BodySink["onBroken"]) => ({ onData: () => undefined, onEnd: () => undefined, onBroken });
    const telling = await start((request, response) => {
      const tell = () => {
        // Later, so that more bytes come in between: they are no request.
        setTimeout(() => say(response, "broken", "Connection", "close"), 30);
        return true;
      };
      request.read(sink(tell));
    });
    expect((await exchangeRaw(telling.port, wire)).match(/HTTP|broken/g)).toEqual(["HTTP", "broken"]);
    const silent = await start((request) => request.read(sink(() => false)));
    expect(await exchangeRaw(silent.port, wire)).toBe("");
  });

  test("if a client waits for 100 and gets another response, the next bytes are ambiguous: the connection closes", async () => {
    const server = await start((request, response) => {
      if (request.url === "/no") return say(response, "no");
      request.sendContinue();
      echo(request, response);
    });
    const expecting = (url: string) => `POST ${url} HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi`;
    const refused = await exchangeRaw(server.port, expecting("/no") + GET);
    expect(refused.match(/HTTP\/1.1 \d+|Connection: close/g)).toEqual(["HTTP/1.1 200", "Connection: close"]);
    const taken = await exchangeRaw(server.port, `${expecting("/yes")}${GET}${CLOSE}`);
    expect(taken.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 200", "HTTP/1.1 200"]);
  });

  test("a body is held back while its reader pauses", async () => {
    const server = await start((request, response) => {
      let bytes = 0;
      let paused = false;
      request.read({
        onData(piece) {
          expect(paused).toBe(false);
          bytes += piece.byteLength;
          paused = true;
          request.pause();
          setTimeout(() => {
            paused = false;
            request.resume();
          }, 1);
        },
        onEnd: () => say(response, `got ${bytes}`),
        onBroken: () => false,
      });
    });
    const body = "x".repeat(1_000_000);
    const response = await exchangeRaw(server.port, [`${POST}Content-Length: ${body.length}\r\n${CLOSE}`, body]);
    expect(response).toEndWith("got 1000000");
  });

  test("a body that is taken late is there then", async () => {
    const server = await start((request, response) => void setTimeout(() => echo(request, response), 30));
    const body = "y".repeat(300_000);
    const response = await exchangeRaw(server.port, [`${POST}Content-Length: ${body.length}\r\n${CLOSE}`, body]);
    expect(response).toEndWith(`POST /x ${body}`);
  });

  test("a client that leaves is reported once, and only before the response has ended", async () => {
    const lost: string[] = [];
    const gone = Promise.withResolvers<void>();
    const server = await start((request, response) => {
      response.onClose(() => {
        lost.push(request.url);
        gone.resolve();
      });
      if (request.url === "/answered") say(response, "ok");
    });
    await exchangeRaw(server.port, "GET /answered HTTP/1.1\r\n\r\n", (text) => text.endsWith("ok"));
    const client = net.connect(server.port, "127.0.0.1");
    client.write("GET /left HTTP/1.1\r\n\r\n");
    setTimeout(() => client.destroy(), 30);
    await gone.promise;
    expect(lost).toEqual(["/left"]);
  });

  test("an upgrade hands the socket over with what came early; without Connection it is an ordinary request", async () => {
    const server = await start(echo);
    const upgrade = `${GET}Upgrade: websocket\r\n`;
    expect(await exchangeRaw(server.port, `${upgrade}Connection: keep-alive, Upgrade\r\n\r\nhi`)).toBe(
      "switched, early hi",
    );
    expect(await exchangeRaw(server.port, `${upgrade}${CLOSE}`)).toEndWith("GET /x ");
    expect(await exchangeRaw(server.port, `${GET}Upgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n`)).toEndWith(
      "GET /x ",
    );
  });

  test("a head that is not complete in time gets a response, a silent connection is closed", async () => {
    const server = await start(echo, { headMs: 1_000, idleMs: 1_000 });
    expect(await exchangeRaw(server.port, "GET / HTTP/1.1\r\nHo")).toStartWith("HTTP/1.1 400 timeout");
    expect(await exchangeRaw(server.port, "")).toBe("");
    expect(await exchangeRaw(server.port, `${GET}\r\n`)).toEndWith("GET /x ");
  });

  test("a client that takes its last response slowly gets all of it, however long that lasts", async () => {
    const text = "z".repeat(20_000_000);
    const server = await start((_request, response) => say(response, text), { lingerMs: 50, idleMs: 1_000 });
    const taken = async (head: string) => {
      const client = net.connect(server.port, "127.0.0.1");
      client.write(head);
      client.pause();
      // Longer than two looks at the deadlines.
      await new Promise((resolve) => setTimeout(resolve, 2_300));
      let bytes = 0;
      client.on("data", (piece: Buffer) => {
        bytes += piece.byteLength;
        if (bytes > text.length) client.end();
      });
      client.resume();
      await new Promise((resolve) => client.once("close", resolve));
      return bytes;
    };
    const [closing, kept] = await Promise.all([taken(`${GET}${CLOSE}`), taken(`${GET}\r\n`)]);
    expect([closing > text.length, kept > text.length]).toEqual([true, true]);
  });

  test("a server that closes ends idle connections at once and the others behind their response", async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const server = await start((_request, response) => arrived.resolve(response));
    const idle = exchangeRaw(server.port, "");
    const busy = exchangeRaw(server.port, `${GET}\r\n`);
    const response = await arrived.promise;
    const closed = server.close();
    expect(await idle).toBe("");
    say(response, "last");
    expect(await busy).toEndWith("Connection: close\r\n\r\nlast");
    await closed;
  });
});
