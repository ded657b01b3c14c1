import { expect, test } from "bun:test";
import http from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { isSecretName } from "../../src/masking/names.ts";
import { repeats } from "../../src/runtime/http/header-fields.ts";
import { MalformedRequest, type RequestHead, RequestParser } from "../../src/runtime/http/request-parser.ts";
import { assertProperty } from "../chance.ts";
import { exchangeRaw } from "../raw-http.ts";

interface Read {
  readonly line: string;
  readonly headers: readonly string[];
  body: string;
  whole: boolean;
}

/** What the parser makes of bytes that come in these pieces, if each request gets its response as soon as it is complete. */
function read(pieces: readonly string[], headBytesMax = 1_000): { requests: Read[]; fault: string | undefined } {
  const requests: Read[] = [];
  const parser: RequestParser = new RequestParser(headBytesMax, {
    onHead: ({ method, url, old, headers }) =>
      void requests.push({ line: `${method} ${url} ${old ? "1.0" : "1.1"}`, headers, body: "", whole: false }),
    onData: (bytes) => {
      requests.at(-1)!.body += Buffer.from(bytes).toString("latin1");
    },
    onWhole: () => {
      requests.at(-1)!.whole = true;
      parser.next();
    },
  });
  try {
    for (const piece of pieces) parser.execute(Buffer.from(piece, "latin1"));
  } catch (error) {
    if (!(error instanceof MalformedRequest)) throw error;
    return { requests, fault: error.fault };
  }
  return { requests, fault: undefined };
}

const POST = "POST /a?b=%20 HTTP/1.1\r\nHost: x\r\n";
const CHUNKED = `${POST}Transfer-Encoding: Chunked\r\n\r\n`;
const NEXT = "GET /next HTTP/1.1\r\nHost: y\r\n\r\n";

const WELL_FORMED: readonly (readonly [string, string, readonly string[]])[] = [
  ["no body", `${POST}\r\n`, [""]],
  ["an empty body", `${POST}Content-Length: 0\r\n\r\n`, [""]],
  ["a length", `${POST}Content-Length: 5\r\n\r\nhe\r\no`, ["he\r\no"]],
  ["a length twice", `${POST}Content-Length: 2\r\ncontent-length: 2\r\n\r\nhi`, ["hi"]],
  ["chunks", `${CHUNKED}2\r\nhe\r\n00003\r\nllo\r\n0\r\n\r\n`, ["hello"]],
  ["a chunk's extension", `${CHUNKED}A;a="b"\r\n0123456789\r\n0;c\r\n\r\n`, ["0123456789"]],
  ["trailers", `${CHUNKED}1\r\nx\r\n0\r\nX-Sum: 1\r\nY: \r\n\r\n`, ["x"]],
  ["requests in a row", `${POST}Content-Length: 2\r\n\r\nhi${NEXT}${CHUNKED}0\r\n\r\n${NEXT}`, ["hi", "", "", ""]],
  ["an empty line before a request", `\r\n${NEXT}\r\n\r\n${NEXT}`, ["", ""]],
  ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", [""]],
  ["no header at all", "GET / HTTP/1.1\r\n\r\n", [""]],
];

test.each(WELL_FORMED)("%s is read, however the bytes are cut", (_name, wire, bodies) => {
  const whole = read([wire]);
  expect(whole).toMatchObject({ fault: undefined });
  expect(whole.requests.map(({ body }) => body)).toEqual([...bodies]);
  expect(whole.requests.every((one) => one.whole)).toBe(true);
  for (let cut = 1; cut < wire.length; cut++) expect(read([wire.slice(0, cut), wire.slice(cut)])).toEqual(whole);
  expect(read(wire.split(""))).toEqual(whole);
});

test("header values keep their bytes and lose the blanks around them", () => {
  const { requests } = read(["GET / HTTP/1.1\r\nX-Odd: \t a  b\xe9 \t\r\nx-odd:\r\n\r\n"]);
  expect(requests[0]!.headers).toEqual(["X-Odd", "a  b\xe9", "x-odd", ""]);
});

const head = (line: string) => `POST / HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`;

test("a value that begins, ends or looks like the usual one is read as it was sent", () => {
  const usual = "application/json";
  const lines = [
    ...Array.from({ length: 40 }, () => ` ${usual}`),
    ...[` ${usual}; charset=utf-8`, ` ${usual.slice(0, -1)}`, ` ${usual} `, `  ${usual}`, usual, `\t${usual}`, "", " "],
    ...[` ${usual}x`, ` ${usual} x`, ` X${usual}`, ` ${usual.toUpperCase()}`, ` ${usual}`],
  ];
  for (const line of lines)
    for (const behind of ["", "X-Last: 1\r\n"]) {
      const { requests, fault } = read([`GET / HTTP/1.1\r\nHost: x\r\nContent-Type:${line}\r\n${behind}\r\n`]);
      expect(fault).toBeUndefined();
      const rest = behind === "" ? [] : ["X-Last", "1"];
      expect(requests[0]!.headers).toEqual(["Host", "x", "Content-Type", line.trim(), ...rest]);
    }
});

test("heads of three programs by turns keep their names and their order", () => {
  const programs = [
    ["Host", "Accept", "X-One"],
    ["host", "X-One", "Accept"],
    ["X-One-More", "HOST", "X-On", "Accept"],
  ];
  const order = [0, 1, 0, 2, 1, 1, 2, 0, 2, 2, 1, 0];
  for (const program of [...order, ...order]) {
    const headers = programs[program]!.flatMap((name, at) => [name, `v${at}`]);
    const lines = programs[program]!.map((name, at) => `${name}: v${at}\r\n`).join("");
    expect(read([`GET / HTTP/1.1\r\n${lines}\r\n`]).requests[0]!.headers).toEqual(headers);
  }
});

test("no name whose value may be a credential has a usual value", () => {
  const word = fc.constantFrom(
    "x",
    "stainless",
    "api",
    "key",
    "auth",
    "token",
    "host",
    "date",
    "server",
    "cookie",
    "lang",
  );
  const name = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("-"));
  assertProperty(fc.property(name, (each) => !(repeats(each) && isSecretName(each))));
  expect(["x-stainless-api-key", "authorization", "gateway-auth", "x-stainless-lang"].filter(repeats)).toEqual([
    "x-stainless-lang",
  ]);
});

test.each([
  ["another case", "host: y", ["host", "y"]],
  ["a shorter name", "Hos: y", ["Hos", "y"]],
  ["a longer name", "Hosts: y", ["Hosts", "y"]],
  ["the same name", "Host:y", ["Host", "y"]],
  ["the name as a value", "A: Host:y", ["A", "Host:y"]],
  ["a blank before the colon", "Host : y", undefined],
  ["no colon", "Host", undefined],
])("a line is read by itself, whatever name the last head had there: %s", (_name, line, headers) => {
  read([NEXT]);
  const { requests, fault } = read([`GET / HTTP/1.1\r\n${line}\r\n\r\n`]);
  expect(requests[0]?.headers).toEqual(headers);
  expect(fault).toBe(headers === undefined ? "malformed" : undefined);
});

test.each([
  ["a length beside chunks", head("Content-Length: 3\r\nTransfer-Encoding: chunked"), "malformed"],
  ["chunks beside a length", head("Transfer-Encoding: chunked\r\nContent-Length: 3"), "malformed"],
  ["two lengths", head("Content-Length: 3\r\nContent-Length: 4"), "malformed"],
  ["a list of lengths", head("Content-Length: 3, 3"), "malformed"],
  ["a signed length", head("Content-Length: +3"), "malformed"],
  ["a hexadecimal length", head("Content-Length: 0x3"), "malformed"],
  ["a length with a fraction", head("Content-Length: 3.0"), "malformed"],
  ["an empty length", head("Content-Length:"), "malformed"],
  ["a length beyond all numbers", head("Content-Length: 9999999999999999"), "malformed"],
  ["gzip, chunked", head("Transfer-Encoding: gzip, chunked"), "malformed"],
  ["chunked, identity", head("Transfer-Encoding: chunked, identity"), "malformed"],
  ["chunked twice", head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), "malformed"],
  ["identity", head("Transfer-Encoding: identity"), "malformed"],
  ["chunked in quotes", head('Transfer-Encoding: "chunked"'), "malformed"],
  ["chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "malformed"],
  ["a space before the colon", head("Content-Length : 3"), "malformed"],
  ["a space before a name", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", "malformed"],
  ["a folded line", head("X: a\r\n b"), "malformed"],
  ["a tab that folds", head("X: a\r\n\tb"), "malformed"],
  ["no colon", head("nothing"), "malformed"],
  ["no name", head(": x"), "malformed"],
  ["a name with a byte over 0x7f", head("caf\xe9: x"), "malformed"],
  ["a bare line feed", "GET / HTTP/1.1\r\nHost: x\nX: 1\r\n\r\n", "malformed"],
  ["a bare carriage return", head("X: a\rb"), "malformed"],
  ["a carriage return before the line end", head("X: a\r"), "malformed"],
  ["a NUL", head("X: a\0b"), "malformed"],
  ["a vertical tab", head("Transfer-Encoding:\x0bchunked"), "malformed"],
  ["DEL", head("X: \x7f"), "malformed"],
  ["HTTP/1.2", "GET / HTTP/1.2\r\n\r\n", "malformed"],
  ["HTTP/2.0", "PRI * HTTP/2.0\r\n\r\n", "malformed"],
  ["no version", "GET /\r\n\r\n", "malformed"],
  ["a space behind the version", "GET / HTTP/1.1 \r\n\r\n", "malformed"],
  ["a tab between the words", "GET\t/ HTTP/1.1\r\n\r\n", "malformed"],
  ["two spaces", "GET  / HTTP/1.1\r\n\r\n", "malformed"],
  ["line ends without end", "\r\n".repeat(9), "malformed"],
  ["no request at all", "\x16\x03\x01\x02\x00", "malformed"],
  ["an unknown method", "BREW / HTTP/1.1\r\n\r\n", "method"],
  ["a lower-case method", "get / HTTP/1.1\r\n\r\n", "method"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\n\r\n", "method"],
  ["a target with a space that is no path", "GET x y HTTP/1.1\r\n\r\n", "malformed"],
  ["a bare line feed in the path", "GET /a\nb HTTP/1.1\r\n\r\n", "malformed"],
  ["a bare carriage return in the path", "GET /a\rb HTTP/1.1\r\n\r\n", "malformed"],
  ["too large a head", head(`X: ${"x".repeat(1_000)}`), "size"],
  ["too large a head without its end", `GET / HTTP/1.1\r\nX: ${"x".repeat(1_000)}`, "size"],
  ["a chunk longer than it says", `${CHUNKED}1\r\nxy\r\n0\r\n\r\n`, "malformed"],
  ["a chunk's size with a sign", `${CHUNKED}+1\r\nx\r\n0\r\n\r\n`, "malformed"],
  ["a chunk's size as 0x1", `${CHUNKED}0x1\r\nx\r\n0\r\n\r\n`, "malformed"],
  ["a chunk's size beyond all numbers", `${CHUNKED}${"f".repeat(13)}\r\n`, "malformed"],
  ["no chunk's size", `${CHUNKED}\r\nx\r\n0\r\n\r\n`, "malformed"],
  ["a blank behind a chunk's size", `${CHUNKED}1 \r\nx\r\n0\r\n\r\n`, "malformed"],
  ["a blank before a chunk's size", `${CHUNKED} 1\r\nx\r\n0\r\n\r\n`, "malformed"],
  ["a chunk's size with a line feed", `${CHUNKED}1\nx\n0\n\n`, "malformed"],
  ["a line feed in a chunk's extension", `${CHUNKED}1;a\nb\r\nx\r\n0\r\n\r\n`, "malformed"],
  ["a trailer that is no field", `${CHUNKED}0\r\nnothing\r\n\r\n`, "malformed"],
  ["a trailer that folds", `${CHUNKED}0\r\nX: 1\r\n 2\r\n\r\n`, "malformed"],
  ["trailers without end", `${CHUNKED}0\r\n${"X: 1\r\n".repeat(20_000)}`, "malformed"],
  ["extensions without end", `${CHUNKED}${`1;${"e".repeat(4_000)}\r\nx\r\n`.repeat(20)}`, "malformed"],
] as const)("%s is refused, and nothing behind it is read", (_name, wire, fault) => {
  const found = read([`${wire}${NEXT}`]);
  expect(found.fault).toBe(fault);
  expect(found.requests.filter(({ line }) => line.includes("/next"))).toEqual([]);
});

test.each([
  ["line feeds only, and no end", "GET / HTTP/1.1\nHost: x\n\n", "malformed"],
  ["a bare line feed in a head without end", "GET / HTTP/1.1\r\nHost: x\n", "malformed"],
  ["a NUL in a head without end", "GET / HTTP/1.1\r\nHost: \0", "malformed"],
  ["HTTP/0.9", "GET /\r\n", "malformed"],
  ["a first line of HTTP/9.9 without end", "GET / HTTP/9.9\r\nHo", "malformed"],
  ["a first line with an unknown method, without end", "BREW / HTTP/1.1\r\n", "method"],
] as const)("%s is refused before more of it comes", (_name, wire, fault) => {
  expect(read([wire]).fault).toBe(fault);
  expect(read(wire.split("")).fault).toBe(fault);
});

test.each([
  ["a space", "/a b"],
  ["what looks like another version", "/a HTTP/1.0"],
  ["control bytes", "/a\0\x01\x7f"],
  ["bytes over 0x7f", "/caf\xc3\xa9"],
])("a path with %s is read, and the connection is to close behind it", (_name, path) => {
  const wire = `POST ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  for (const pieces of [[wire], wire.split("")]) {
    const heads: RequestHead[] = [];
    const parser = new RequestParser(1_000, { onHead: (head) => void heads.push(head), onData() {}, onWhole() {} });
    for (const piece of pieces) parser.execute(Buffer.from(piece, "latin1"));
    expect(heads).toHaveLength(1);
    expect(heads[0]).toMatchObject({ url: path, headers: ["Host", "x"], framing: { close: true } });
  }
});

test("a head may have 200 fields and no more", () => {
  const fields = (count: number) => `GET / HTTP/1.1\r\n${"X: 1\r\n".repeat(count)}\r\n`;
  expect(read([fields(200)], 10_000).fault).toBeUndefined();
  expect(read([fields(201)], 10_000).fault).toBe("size");
});

test("a pipelined request is not read before the previous response is sent, nor a body before it is consumed", () => {
  const seen: string[] = [];
  const parser = new RequestParser(1_000, {
    onHead: ({ url }) => {
      seen.push(url);
      parser.held = url === "/held";
    },
    onData: (bytes) => void seen.push(Buffer.from(bytes).toString()),
    onWhole: () => void seen.push("whole"),
  });
  const held = "POST /held HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";
  parser.execute(Buffer.from(`${NEXT}${held}${NEXT}`));
  expect(seen).toEqual(["/next", "whole"]);
  parser.next();
  expect(seen.slice(2)).toEqual(["/held"]);
  parser.resume();
  expect(seen.slice(3)).toEqual(["hi", "whole"]);
  expect(parser.detach().toString()).toBe(NEXT);
  parser.next();
  expect(seen).toHaveLength(5);
});

const PIECES = [
  "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
  "POST /b HTTP/1.1\r\nHost: x\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\n",
  "content-length:5\r\n",
  "Content-Length: 05\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: CHUNKED \r\n",
  "Transfer-Encoding: identity\r\n",
  "X: y\r\n",
  "X : y\r\n",
  " z\r\n",
  "\r\n",
  "\n",
  "\r",
  "hello",
  "5\r\nhello\r\n",
  "0\r\n\r\n",
  "0\r\n",
  "5;x=y\r\n",
  "-1\r\n",
  "\0",
];

test("whatever is taken, another parser reads as the very same requests", async () => {
  const seen: string[] = [];
  const server = http.createServer({ requireHostHeader: false } as http.ServerOptions, (incoming, response) => {
    let body = "";
    incoming.on("data", (bytes: Buffer) => {
      body += bytes.toString("latin1");
    });
    incoming.on("end", () => {
      seen.push(`${incoming.method} ${incoming.url} ${body}`);
      response.end();
    });
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const bye = "GET /bye HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const wires = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(""));
  let compared = 0;
  const check = async (wire: string) => {
    const ours = read([wire, bye]);
    // Where we wait for more, or refuse, nothing is passed on that could be read in two ways.
    if (ours.fault !== undefined || ours.requests.at(-1)?.line !== "GET /bye 1.1") return;
    seen.length = 0;
    await exchangeRaw(port, [wire, bye]);
    compared++;
    expect(seen).toEqual(ours.requests.map(({ line, body }) => `${line.slice(0, -4)} ${body}`));
  };
  for (const [, wire] of WELL_FORMED) if (!wire.includes("HTTP/1.0")) await check(wire);
  const wellFormed = compared;
  await assertProperty(fc.asyncProperty(wires, check), { numRuns: 20_000 });
  expect(compared).toBeGreaterThan(wellFormed);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
