import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import {
  type BeginMeta,
  FRAME,
  type HeadMeta,
  type ProviderRequestMeta,
  type ProviderResponseMeta,
  type RawHeaders,
} from "../../src/spool/frame.ts";
import { HeaderList, readPairs } from "../../src/spool/header-list.ts";
import {
  readBegin,
  readHead,
  readProviderRequest,
  readProviderResponse,
  UnreadableFrame,
} from "../../src/spool/read-meta.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, readAll, spoolIn } from "./journal.ts";

const NAMES = ["Content-Type", "content-type", "Content-Encoding", "Referer", "X-Country-Code", "Vary", "x", ""];
const AWKWARD = ['","headers":["a","b"]}', 'say "x"', "a\\", '\\"', "\n\u0000\u007f", "\xe9\xff", "é", "→", "\ud800"];
const anyPairs = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "binary" })),
      fc.oneof(fc.constantFrom(...NAMES, ...AWKWARD, "gzip", "de"), fc.string({ unit: "binary" })),
    ),
  )
  .map((pairs) => pairs.flat());

/** What the values of a few names mean, read from the pairs. */
function knownIn(pairs: RawHeaders) {
  const valuesOf = (name: string) => pairs.filter((_, at) => at % 2 === 1 && pairs[at - 1]!.toLowerCase() === name);
  const codes = valuesOf("x-country-code").map((value) => value.trim().toUpperCase());
  return {
    contentType: valuesOf("content-type").at(-1),
    contentEncoding: valuesOf("content-encoding").length === 0 ? undefined : valuesOf("content-encoding").join(", "),
    referrer: valuesOf("referer").at(-1),
    country: codes.find((code) => /^[A-Z]{2}$/.test(code) && code !== "XX"),
  };
}

test("a list has the bytes of its JSON, its pairs, and the values that records need", () => {
  assertProperty(
    fc.property(anyPairs, (pairs) => {
      const list = HeaderList.of(pairs);
      expect(list.bytes.toString()).toBe(JSON.stringify(pairs));
      expect(list.pairs).toEqual(pairs);
      expect(readPairs(list.bytes, 0, list.bytes.byteLength)).toEqual(pairs);
      expect(list.known).toEqual(knownIn(pairs));
      expect(JSON.stringify({ list })).toBe(JSON.stringify({ list: pairs }));
    }),
    { numRuns: 500 },
  );
});

test("a list keeps its bytes when those that it was read from change", () => {
  const bytes = Buffer.from('["a","b"]');
  const list = HeaderList.read(bytes, 0, bytes.byteLength)!;
  bytes.fill("x");
  expect(list.pairs).toEqual(["a", "b"]);
});

test.each([
  ...[
    "",
    "[",
    "]",
    "[]]",
    "{}",
    "null",
    '["a"]',
    '["a","b","c"]',
    '["a","b",]',
    '["a" ,"b"]',
    '["a","b"] ',
    '["a","b"',
  ],
  ...['["a",1]', '[1,"a"]', '["a",null]', '["a",["b"]]', '["a":"b"]', '["a","b\\"]', '["a","b\\x"]', '["a","b\\u00"]'],
  ...[
    '["a","b\\u0041"]',
    '["a","\n"]',
    '["a","b\\',
    '[,"a","b"]',
    '["a","b":"c","d"]',
    '["a",,"b"]',
    '["a""b"]',
    '["a"]"b"]',
    '["a","b"}',
  ],
])("no list that JSON.stringify writes: %s", (text) => {
  for (const read of [HeaderList.read, readPairs]) {
    expect(read(Buffer.from(text), 0, Buffer.byteLength(text))).toBeUndefined();
  }
});

test("bytes beyond the end are not read", () => {
  const bytes = Buffer.from('["a","b"],"c"]');
  expect(HeaderList.read(bytes, 0, 9)?.pairs).toEqual(["a", "b"]);
  expect(readPairs(bytes, 0, 9)).toEqual(["a", "b"]);
  for (let to = 0; to < bytes.byteLength; to++) {
    if (to !== 9) expect([HeaderList.read(bytes, 0, to), readPairs(bytes, 0, to)]).toEqual([undefined, undefined]);
  }
});

const PAIRS = ["Content-Type", 'text/x; a="b\\c"', "Referer", "caf\xe9", "", "", "Vary", "content-type"];
const SENT = { headers: [0, "X", '"'], edited: { of: 9, edits: [{ from: 1, to: 2, text: '"' }] } };
const BEGIN: BeginMeta = begin({ headers: PAIRS, gateway: ["Gateway-User-Id", '","headers":[]}'] });
const HEAD: HeadMeta = { time: 2, status: 200, attempt: 1, headers: PAIRS, sent: SENT };
const REQUEST: ProviderRequestMeta = { time: 3, headers: PAIRS, hasBody: false, edited: SENT.edited };
const RESPONSE: ProviderResponseMeta = { time: 4, status: 200, headers: PAIRS };

/** Content of the frames, with the headers before other members, as earlier versions wrote them, or as the last. */
const last = ({ headers, ...members }: { readonly headers?: RawHeaders }) => ({ ...members, headers });
const FRAMES = [
  ["begin", BEGIN, readBegin],
  ["head", HEAD, readHead],
  ["request of the provider's side", REQUEST, readProviderRequest],
  ["request of the provider's side without headers", { time: 3, hasBody: true }, readProviderRequest],
  ["response of the provider's side", RESPONSE, readProviderResponse],
].flatMap(([name, meta, read]) => [
  { name: `a ${name}`, meta, read },
  { name: `a ${name}, its headers last,`, meta: last(meta as object), read },
]) as { name: string; meta: { headers?: RawHeaders }; read: (buffer: Buffer, from: number, to: number) => object }[];

/** A frame's content as `JSON.parse` reads it; undefined if its headers are none. */
function parsed(payload: Buffer): { headers?: unknown } | undefined {
  try {
    const meta = JSON.parse(payload.toString());
    if (meta.headers === undefined) return meta;
    const isList = Array.isArray(meta.headers) && meta.headers.length % 2 === 0;
    return isList && meta.headers.every((each: unknown) => typeof each === "string") ? meta : undefined;
  } catch {
    return undefined;
  }
}

/** The content that a reader finds in a buffer with other bytes around it; undefined if it finds it unreadable. */
function found(read: (typeof FRAMES)[number]["read"], payload: Buffer): object | undefined {
  const around = Buffer.from(']}"}');
  try {
    const meta = read(Buffer.concat([around, payload, around]), around.length, around.length + payload.length);
    return JSON.parse(JSON.stringify(meta));
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableFrame);
    return undefined;
  }
}

test.each(FRAMES)("$name is read as JSON.parse reads it", ({ meta, read }) => {
  for (const headers of [meta.headers, meta.headers && []]) {
    const payload = Buffer.from(JSON.stringify({ ...meta, ...(headers && { headers }) }));
    expect(found(read, payload)).toEqual(parsed(payload));
  }
});

test.each(FRAMES)("$name with any byte damaged is read as JSON.parse reads it, or is unreadable", ({ meta, read }) => {
  const sound = Buffer.from(JSON.stringify(meta));
  let readable = 0;
  for (let at = 0; at < sound.byteLength; at++) {
    for (const byte of [0, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x3a, 0x5b, 0x5c, 0x5d, 0x75, 0x7b, 0x7d, 0xc3, 0xff]) {
      const payload = Buffer.from(sound);
      payload[at] = byte;
      const seen = found(read, payload);
      if (seen === undefined) continue;
      expect(seen).toEqual(parsed(payload)!);
      readable++;
    }
    expect(found(read, sound.subarray(0, at))).toBeUndefined();
  }
  expect(readable).toBeGreaterThan(0);
});

test("any list of headers is read from its frame, wherever it is among the members", () => {
  assertProperty(
    fc.property(anyPairs, fc.boolean(), (headers, isLast) => {
      const meta = begin({ headers });
      const payload = Buffer.from(JSON.stringify(isLast ? last(meta) : meta));
      expect(readBegin(payload, 0, payload.byteLength).headers).toEqual(HeaderList.of(headers));
    }),
  );
});

test("what the writer adds to a begin precedes the headers, where they are read without being parsed", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const further = spoolIn(directory.path, { shared: spool.share() });
  for (const writer of [spool, further]) {
    writer.begin(randomUUID(), last(begin({ omitResponse: true })) as BeginMeta);
    writer.begin(randomUUID(), last(begin()) as BeginMeta);
  }
  await further.close();
  await spool.close();
  const begins = readAll(directory.path).filter(({ kind }) => kind === FRAME.begin);
  expect(begins).toHaveLength(4);
  for (const { payload } of begins)
    expect(payload.toString()).toEndWith(',"headers":["Content-Type","application/json"]}');
  expect(begins.filter(({ payload }) => payload.includes('"salt":'))).toHaveLength(2);
  expect(begins.filter(({ payload }) => payload.includes('"writer":2'))).toHaveLength(2);
});
