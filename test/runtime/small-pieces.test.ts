import { expect, test } from "bun:test";
import fc from "fast-check";
import { RequestParser } from "../../src/runtime/http/request-parser.ts";
import { ResponseParser } from "../../src/runtime/http/response-parser.ts";
import { plainChunkSize } from "../../src/runtime/http/small-pieces.ts";
import { assertProperty } from "../chance.ts";

interface Taken {
  readonly pieces: string[];
  whole: boolean;
}

/** Reads one message in the given pieces. @returns what its taker got. */
function readRequest(pieces: readonly Buffer[]): Taken {
  const taken: Taken = { pieces: [], whole: false };
  const parser = new RequestParser(1_000, {
    onHead: () => undefined,
    onData: (bytes) => void taken.pieces.push(Buffer.from(bytes).toString("latin1")),
    onWhole: () => {
      taken.whole = true;
    },
  });
  for (const piece of pieces) parser.execute(piece);
  return taken;
}

function readResponse(pieces: readonly Buffer[]): Taken {
  const taken: Taken = { pieces: [], whole: false };
  const parser = new ResponseParser(1_000);
  parser.expect("GET", false, {
    onInformation: () => undefined,
    onHead: () => undefined,
    onData: (bytes) => void taken.pieces.push(Buffer.from(bytes).toString("latin1")),
    onSwitch: () => undefined,
    onWhole: () => {
      taken.whole = true;
    },
  });
  for (const piece of pieces) parser.execute(piece);
  return taken;
}

const READERS = [
  ["a request", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", readRequest],
  ["an answer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", readResponse],
] as const;

test.each(READERS)(
  "chunks of one byte that come in one go reach the taker of %s in few pieces",
  (_name, head, read) => {
    const { pieces, whole } = read([Buffer.from(`${head}${"1\r\nx\r\n".repeat(50_000)}0\r\n\r\n`)]);
    expect(pieces.join("")).toBe("x".repeat(50_000));
    expect(pieces.length).toBeLessThan(10);
    expect(whole).toBe(true);
  },
);

test.each(READERS)("a small chunk of %s is not kept for what has not come", (_name, head, read) => {
  expect(read([Buffer.from(`${head}2\r\nhi\r\n3\r\nyo`)])).toEqual({ pieces: ["hiyo"], whole: false });
});

test("what was read before a chunk that cannot be read is passed on", () => {
  const got: string[] = [];
  const parser = new RequestParser(1_000, {
    onHead: () => undefined,
    onData: (bytes) => void got.push(Buffer.from(bytes).toString("latin1")),
    onWhole: () => undefined,
  });
  expect(() => parser.execute(Buffer.from(`${READERS[0][1]}2\r\nhi\r\nzz\r\n`))).toThrow("chunk");
  expect(got).toEqual(["hi"]);
});

test.each(READERS)("chunks of any sizes, cut anywhere, are the body of %s", (_name, head, read) => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3_000 })), {
    maxLength: 40,
  });
  assertProperty(
    fc.property(sizes, fc.integer({ min: 1, max: 5_000 }), (chunks, cut) => {
      const bodies = chunks.map((size, at) => String.fromCharCode(97 + (at % 26)).repeat(size));
      const framed = bodies.map((body) => `${body.length.toString(16)}\r\n${body}\r\n`).join("");
      const wire = Buffer.from(`${head}${framed}0\r\n\r\n`);
      const pieces: Buffer[] = [];
      for (let at = 0; at < wire.byteLength; at += cut) pieces.push(wire.subarray(at, at + cut));
      const taken = read(pieces);
      expect(taken.pieces.join("")).toBe(bodies.join(""));
      expect(taken.whole).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("a taker that pauses gets nothing more until it resumes, and then everything", () => {
  let sincePause = 0;
  const wire = Buffer.from(`${READERS[0][1]}${"1\r\nx\r\n".repeat(9_000)}7d0\r\n${"y".repeat(2_000)}\r\n0\r\n\r\n`);
  const got: number[] = [];
  const parser: RequestParser = new RequestParser(1_000, {
    onHead: () => undefined,
    onData(bytes) {
      sincePause++;
      got.push(bytes.byteLength);
      parser.held = true;
    },
    onWhole: () => void got.push(-1),
  });
  parser.execute(wire);
  while (parser.held) {
    expect(sincePause).toBe(1);
    sincePause = 0;
    parser.resume();
  }
  expect(got.at(-1)).toBe(-1);
  expect(got.slice(0, -1).reduce((sum, bytes) => sum + bytes, 0)).toBe(11_000);
});

test.each([
  ["0\r\n", { size: 0, end: 1 }],
  ["1f\r\n", { size: 31, end: 2 }],
  ["aBcDeF09\r\nx", { size: 0xabcdef09, end: 8 }],
  ["ffffffffffff\r\n", { size: 0xffffffffffff, end: 12 }],
  ["fffffffffffff\r\n", undefined],
  ["1\n", undefined],
  ["1\r", undefined],
  ["1;a\r\n", undefined],
  ["\r\n", undefined],
  ["g\r\n", undefined],
  ["@\r\n", undefined],
  ["`\r\n", undefined],
  ["G\r\n", undefined],
  [":\r\n", undefined],
  ["/\r\n", undefined],
  ["-1\r\n", undefined],
])("%j is read as a chunk's size only where it is nothing else", (line, found) => {
  expect(plainChunkSize(Buffer.from(line), 0)).toEqual(found as { size: number; end: number });
});
