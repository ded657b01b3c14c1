import { expect, test } from "bun:test";
import fc from "fast-check";
import { ResponseParser } from "../../src/runtime/http/response-parser.ts";
import { assertProperty } from "../chance.ts";

interface Read {
  heads: string[];
  body: string;
  whole: number;
  reusable: boolean;
}

/** Feeds `pieces`, pausing after each delivery where `pauses` says so, as a slow reader would. */
function read(pieces: readonly Buffer[], pauses: boolean): Read {
  const seen: Read = { heads: [], body: "", whole: 0, reusable: false };
  const parser = new ResponseParser(10_000);
  let paused = false;
  const pause = () => {
    if (!pauses) return;
    parser.paused = true;
    paused = true;
  };
  parser.expect("GET", false, {
    onInformation: (status) => void seen.heads.push(String(status)),
    onHead(status, reason, headers) {
      seen.heads.push(`${status} ${reason} ${headers.join("|")}`);
      pause();
    },
    onData(bytes) {
      seen.body += Buffer.from(bytes).toString("latin1");
      pause();
    },
    onSwitch: () => undefined,
    onWhole(reusable) {
      seen.whole++;
      seen.reusable = reusable;
    },
  });
  for (const piece of pieces) {
    parser.execute(piece);
    while (paused) {
      paused = false;
      parser.resume();
    }
  }
  return seen;
}

const text = fc.stringMatching(/^[!-~]{1,20}$/);
const header = fc.tuple(
  fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
    .filter((name) => !/^(?:content-length|transfer-encoding|connection)$/i.test(name)),
  text,
);
const message = fc.record({
  headers: fc.array(header, { maxLength: 5 }),
  chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 6 }),
  inChunks: fc.boolean(),
  hints: fc.nat({ max: 2 }),
  cuts: fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
  pauses: fc.boolean(),
});

test("a response is read the same however its bytes arrive and however slowly they are taken", () => {
  assertProperty(
    fc.property(message, ({ headers, chunks, inChunks, hints, cuts, pauses }) => {
      const body = Buffer.concat(chunks);
      const framing = inChunks ? "Transfer-Encoding: chunked" : `Content-Length: ${body.byteLength}`;
      const lines = [...headers.map(([name, value]) => `${name}: ${value}`), framing];
      const wire = Buffer.concat([
        Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".repeat(hints)),
        Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`),
        ...(inChunks
          ? [
              ...chunks.flatMap((one) => [Buffer.from(`${one.byteLength.toString(16)}\r\n`), one, Buffer.from("\r\n")]),
              Buffer.from("0\r\n\r\n"),
            ]
          : [body]),
      ]);
      const places = [0, ...cuts.filter((cut) => cut < wire.byteLength).sort((a, b) => a - b), wire.byteLength];
      const pieces = places
        .slice(1)
        .map((end, at) => wire.subarray(places[at], end))
        .filter((piece) => piece.byteLength > 0);
      expect(read(pieces, pauses)).toEqual({
        heads: [...Array(hints).fill("103"), `200 OK ${lines.map((line) => line.replace(": ", "|")).join("|")}`],
        body: body.toString("latin1"),
        whole: 1,
        reusable: true,
      });
    }),
    { numRuns: 500 },
  );
});

test("whatever bytes come, the parser delivers, waits or refuses, and never ends twice", () => {
  assertProperty(
    fc.property(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 8 }), fc.boolean(), (garbage, pauses) => {
      const start = Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      try {
        expect(read([start, ...garbage.map((one) => Buffer.from(one))], pauses).whole).toBeLessThanOrEqual(1);
      } catch (error) {
        expect(error).toMatchObject({ kind: "protocol" });
      }
    }),
    { numRuns: 500 },
  );
});

test("a status line that only begins or ends like the last one is read as it was sent", () => {
  const lines = [
    "HTTP/1.1 200 OK",
    "HTTP/1.1 200 OK",
    "HTTP/1.1 200 OKAY",
    "HTTP/1.1 200",
    "HTTP/1.1 201 OK",
    "HTTP/1.0 200 OK",
  ];
  for (const line of [...lines, ...lines.toReversed()]) {
    const [, status, reason = ""] = line.split(" ");
    const { heads, reusable } = read([Buffer.from(`${line}\r\nContent-Length: 0\r\n\r\n`)], false);
    expect(heads).toEqual([`${status} ${reason} Content-Length|0`]);
    expect(reusable).toBe(!line.startsWith("HTTP/1.0"));
  }
});

test.each([
  ["the greeting of a mail server", ["220 mail.example ESMTP\r\n"]],
  ["the greeting of SSH, byte by byte", [..."SSH-2.0-OpenSSH_9.6"]],
  ["a TLS alert", ["\x15\x03\x01\x00\x02\x02\x46"]],
  ["lines that end with LF alone", ["HTTP/1.1 200 OK\n", "Content-Length: 2\n\nok"]],
  ["an LF alone after other lines", ["HTTP/1.1 200 OK\r", "\nServer: x\nContent-Length: 2", "\n\nok"]],
  ["an LF alone behind an interim response", ["HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\n"]],
])("what no further byte can complete is refused at once: %s", (_name, pieces) => {
  expect(() =>
    read(
      pieces.map((piece) => Buffer.from(piece, "latin1")),
      false,
    ),
  ).toThrow("is not well-formed HTTP");
});
