import { describe, expect, test } from "bun:test";
import { startProvider, startRawServer } from "../raw-http.ts";
import { ask, loopback, UPSTREAMS } from "./upstreams.ts";

interface Expected {
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly informations?: readonly number[];
  /** Whether the same connection serves the next request. */
  readonly reused?: boolean;
}

const long = "y".repeat(100_000);

const WELL_FORMED: readonly (readonly [string, string, Expected])[] = [
  [
    "with a length",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    { status: 200, reason: "OK", body: "ok", reused: true },
  ],
  ["with an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", { body: "", reused: true }],
  [
    "in chunks",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n3;ext=1\r\nyes\r\n0\r\n\r\n",
    { body: "okyes", reused: true },
  ],
  [
    "in chunks, upper-case",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n",
    { body: "0123456789", reused: true },
  ],
  [
    "in chunks with trailers",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-After: 1\r\n\r\n",
    { body: "ok", reused: true },
  ],
  ["empty, in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", { body: "", reused: true }],
  ["that closes", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", { body: "ok", reused: false }],
  ["of HTTP/1.0 with a length", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", { body: "ok", reused: false }],
  ["204", "HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n", { status: 204, body: "", reused: true }],
  [
    "304 with a length",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n",
    { status: 304, body: "", reused: true },
  ],
  ["without a reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", { reason: "", body: "ok" }],
  [
    "with a long reason",
    "HTTP/1.1 299 Quite All Right\r\nContent-Length: 2\r\n\r\nok",
    { status: 299, reason: "Quite All Right" },
  ],
  [
    "with a redirect",
    "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
    { status: 302, headers: ["Location", "/x", "Content-Length", "0"] },
  ],
  [
    "with names in odd case, twice, and values as they are",
    "HTTP/1.1 200 OK\r\nX-odd-CASE: 1\r\nx-ODD-case:2\r\nX-Empty:\r\nX-Space: \t a  b \t\r\nX-Latin: caf\xe9\r\nContent-Length: 0\r\n\r\n",
    {
      headers: [
        "X-odd-CASE",
        "1",
        "x-ODD-case",
        "2",
        "X-Empty",
        "",
        "X-Space",
        "a  b",
        "X-Latin",
        "caf\xe9",
        "Content-Length",
        "0",
      ],
    },
  ],
  [
    "with several cookies",
    "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n",
    { headers: ["Set-Cookie", "a", "Set-Cookie", "b", "Content-Length", "0"] },
  ],
  [
    "behind 100",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    { status: 200, body: "ok" },
  ],
  [
    "behind 103",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    { informations: [103], body: "ok" },
  ],
  ["with a head of 100 kB", `HTTP/1.1 200 OK\r\nX-Long: ${long}\r\nContent-Length: 2\r\n\r\nok`, { body: "ok" }],
  ["with two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: 1\r\n\r\nok", { body: "ok" }],
];

const MALFORMED: readonly (readonly [string, string])[] = [
  ["no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
  ["HTTP/2", "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n"],
  [
    "a length beside chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ],
  [
    "chunks beside a length",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  ],
  ["two different lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
  ["a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok"],
  ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok"],
  ["a header without a colon", "HTTP/1.1 200 OK\r\nX-Broken\r\nContent-Length: 2\r\n\r\nok"],
  ["a space in a header's name", "HTTP/1.1 200 OK\r\nX Broken: 1\r\nContent-Length: 2\r\n\r\nok"],
  ["a chunk's size that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n"],
  ["a chunk that is too long", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n"],
  ["a status that is no number", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"],
  ["NUL in a value", "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n"],
  ["a head of 300 kB", `HTTP/1.1 200 OK\r\nX-Long: ${long}${long}${long}\r\nContent-Length: 2\r\n\r\nok`],
];

/** Where llhttp is more lenient than we want to be. */
const MALFORMED_STRICT: readonly (readonly [string, string])[] = [
  ["gzip, chunked as framing", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ["framing twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ["a folded header", "HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\nContent-Length: 2\r\n\r\nok"],
  ["bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok\r\n\r\n"],
  ["control bytes in a value", "HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 0\r\n\r\n"],
  ["a protocol that nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
  ["interim answers without end", "HTTP/1.1 102 Processing\r\n\r\n".repeat(100)],
];

const CUT_OFF: readonly (readonly [string, string, boolean])[] = [
  ["before any byte", "", false],
  ["in the head", "HTTP/1.1 200 OK\r\nContent-Le", false],
  ["in a body with a length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", true],
  ["in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf", true],
  ["before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", true],
];

describe.each(UPSTREAMS)("upstream over %s", (client, createUpstream) => {
  test.each(
    WELL_FORMED.flatMap(([name, bytes, expected]) => [
      [`${name}, in one piece`, [bytes], expected] as const,
      ...(bytes.length < 1_000 ? [[`${name}, byte by byte`, [...bytes], expected] as const] : []),
    ]),
  )("takes a response %s", async (_name, pieces, expected) => {
    let connections = 0;
    const used = new Set<unknown>();
    await using provider = await startProvider(({ socket }) => {
      if (!used.has(socket)) connections++;
      used.add(socket);
      socket.setNoDelay(true);
      for (const piece of pieces) socket.write(Buffer.from(piece, "latin1"));
      if (pieces.join("").includes("HTTP/1.0")) socket.end();
    });
    const upstream = createUpstream({ resolve: loopback });
    const response = await ask(upstream, provider.port).done;
    expect(response.error).toBeUndefined();
    expect(response.ended).toBe(true);
    const { body, reused, informations, ...head } = expected;
    expect(response).toMatchObject(structuredClone(head) as object);
    if (body !== undefined) expect(response.body.toString("latin1")).toBe(body);
    if (informations !== undefined) expect(response.informations).toEqual([...informations]);
    if (reused !== undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      expect((await ask(upstream, provider.port).done).ended).toBe(true);
      expect(connections).toBe(reused ? 1 : 2);
    }
    upstream.close();
  });

  test("takes a response that ends with its connection", async () => {
    await using provider = await startProvider(({ socket }) => socket.end("HTTP/1.1 200 OK\r\n\r\nall of it"));
    const upstream = createUpstream({ resolve: loopback });
    const response = await ask(upstream, provider.port).done;
    expect([response.ended, response.body.toString()]).toEqual([true, "all of it"]);
    upstream.close();
  });

  test("takes the response to HEAD without a body, whatever its length says", async () => {
    await using provider = await startProvider(({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
    });
    const upstream = createUpstream({ resolve: loopback });
    const response = await ask(upstream, provider.port, { method: "HEAD" }).done;
    expect([response.ended, response.headers]).toEqual([true, ["Content-Length", "500"]]);
    upstream.close();
  });

  test.each([...MALFORMED, ...(client !== "node:http" ? MALFORMED_STRICT : [])])("refuses %s", async (_name, bytes) => {
    await using provider = await startProvider(({ socket }) => socket.write(Buffer.from(bytes, "latin1")));
    const upstream = createUpstream({ resolve: loopback });
    const response = await ask(upstream, provider.port).done;
    expect([response.ended, response.error?.kind]).toEqual([undefined, "protocol"]);
    upstream.close();
  });

  test.each(CUT_OFF)("a response cut off %s is an error and no end", async (_name, bytes, headSeen) => {
    await using provider = await startProvider(({ socket }) => socket.end(Buffer.from(bytes, "latin1")));
    const upstream = createUpstream({ resolve: loopback });
    const response = await ask(upstream, provider.port).done;
    expect([response.ended, response.status !== undefined]).toEqual([undefined, headSeen]);
    expect(response.error?.kind).toBe("broken");
    if (headSeen && client !== "node:http") expect(response.body.toString()).toBe("half");
    upstream.close();
  });

  test("a refused connection is unreachable", async () => {
    let port = 0;
    {
      await using closed = await startRawServer(() => undefined);
      port = closed.port;
    }
    const upstream = createUpstream({ resolve: loopback });
    const response = await ask(upstream, port).done;
    expect(response.error?.kind).toBe("unreachable");
    upstream.close();
  });
});
