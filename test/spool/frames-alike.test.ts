import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BeginMeta, HeadMeta } from "../../src/spool/frame.ts";
import { FramesAlike } from "../../src/spool/frames-alike.ts";
import { HeaderList } from "../../src/spool/header-list.ts";
import { readBegin, readHead, UnreadableFrame, type WithHeaders } from "../../src/spool/read-meta.ts";
import { assertProperty } from "../chance.ts";
import { begin } from "./journal.ts";

const time = fc.oneof(
  fc.double({ min: 1e12, max: 1e13, maxExcluded: true, noNaN: true }),
  fc.double({ min: 1.7e12, max: 1.9e12, noNaN: true }),
  fc.integer({ min: 1e12, max: 1e13 }),
  fc.constantFrom(0, 1, 0.5, 1e-7, 5e12 + 0.0625, 2 ** 40 + 2 ** -12, 999_999_999_999.5, 1e13, 8.64e15),
);
const text = fc.oneof(fc.constantFrom("", "a", '"', "],", '],"omitRequest":', "\\", "é", "\xe9", "→"), fc.string());
const list = fc.array(fc.tuple(text, text), { maxLength: 3 }).map((pairs) => pairs.flat());
/** Few, so that many frames are alike, or nearly. */
const path = fc.constantFrom("/v1/a", "/v1/b", '/v1/c?x=","gateway":["', '{"time":1,', `/${"long".repeat(3_000)}`);

const begins = fc.record({ time, path, gateway: list, omitResponse: fc.boolean(), headers: list }).map((each) => {
  const { time: at, headers, ...members } = begin(each);
  return { time: at, ...members, headers };
});
const heads = fc
  .record({ time, status: fc.constantFrom(200, 201), headers: list, attempt: fc.option(fc.constantFrom(1, 2)) })
  .map(({ attempt, ...head }) => (attempt === null ? head : { attempt, ...head }));

/** Members in any order: earlier versions wrote the headers before others. */
const inAnyOrder = (meta: fc.Arbitrary<BeginMeta | HeadMeta>) =>
  fc.oneof(
    { weight: 2, arbitrary: meta },
    fc.tuple(meta, fc.nat(), fc.nat()).map(([members, from, to]) => {
      const entries = Object.entries(members);
      entries.splice(to % entries.length, 0, ...entries.splice(from % entries.length, 1));
      return Object.fromEntries(entries) as BeginMeta | HeadMeta;
    }),
  );

/** As it is written, and as it is expected to be read. */
function expectRead(
  read: (buffer: Buffer, from: number, to: number) => object,
  meta: BeginMeta | HeadMeta,
  before: string,
) {
  const payload = Buffer.from(`${before}${JSON.stringify(meta)}${before}`);
  const from = Buffer.byteLength(before);
  expect(read(payload, from, payload.byteLength - from)).toEqual({ ...meta, headers: HeaderList.of(meta.headers) });
}

test("a frame says the same, whatever was read before", () => {
  assertProperty(
    fc.property(
      fc.array(inAnyOrder(fc.oneof(begins, heads)), { minLength: 2, maxLength: 20 }),
      text,
      (metas, before) => {
        for (const meta of metas) expectRead("status" in meta ? readHead : readBegin, meta, before);
      },
    ),
    { numRuns: 500 },
  );
});

const BEGIN = begin({ time: 1_790_000_000_123.25, gateway: ["Gateway-User-Id", "a],"], headers: ["Vary", "x"] });
const HEAD: HeadMeta = { time: 1_790_000_000_124.5, status: 200, headers: ["Content-Type", "a"] };
const last = ({ time: at, headers, ...members }: BeginMeta | HeadMeta) => ({ time: at, ...members, headers });

test.each([
  ["begin", BEGIN, readBegin],
  ["head", HEAD, readHead],
] as const)("a %s that is nearly like an earlier one is not taken for it", (_, meta, read) => {
  const sound = Buffer.from(JSON.stringify(last(meta)));
  const valueIn = (payload: Buffer) => {
    try {
      return JSON.parse(JSON.stringify(read(payload, 0, payload.byteLength)));
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableFrame);
      return undefined;
    }
  };
  let differ = 0;
  for (let at = 0; at < sound.byteLength; at++) {
    for (const byte of Buffer.from('\u0000\n ",.05:[\\]u{}é')) {
      const payload = Buffer.from(sound);
      payload[at] = byte;
      expect(valueIn(sound)).toEqual(last(meta));
      const value = valueIn(payload);
      if (value !== undefined) expect(value).toEqual(JSON.parse(payload.toString()));
      if (value !== undefined && !Bun.deepEquals(value, last(meta))) differ++;
    }
    expect(valueIn(sound)).toEqual(last(meta));
    expect(valueIn(sound.subarray(0, at))).toBeUndefined();
  }
  expect(differ).toBeGreaterThan(0);
});

test.each([
  ["head", HEAD, readHead, "cacheReferenceId"],
  ["begin", BEGIN, readBegin, "attemptOf"],
] as const)("members behind the headers of a %s are not those of a later frame", (_, meta, read, name) => {
  const valueIn = (members: object) => {
    const payload = Buffer.from(JSON.stringify({ ...last(meta), ...members }));
    return (read(payload, 0, payload.byteLength) as Partial<Record<typeof name, unknown>>)[name];
  };
  for (const value of ["one", undefined, "two", "three", undefined]) expect(valueIn({ [name]: value })).toBe(value);
});

test("of a member that is there twice the last one counts, whatever was read before", () => {
  const begin = JSON.stringify(last(BEGIN));
  for (const value of [1, 2, 3]) {
    for (const [payload, read] of [
      [begin.replace(',"method"', `,"time":${value},"method"`), readBegin],
      [begin.replace('"gateway":', `"gateway":["Gateway-User-Id","${value}],"],"gateway":`), readBegin],
      [begin.replace('{"time":', `{"time":${value},"time":`), readBegin],
      [`{"time":${value},"time":5,"status":200,"headers":[]}`, readHead],
      [`{"time":5,"status":200,"time":${value},"headers":[]}`, readHead],
    ] as const) {
      for (const first of [1, 2]) {
        const text = payload.replace('{"time":', `{"time":${first}`);
        const value = read(Buffer.from(text), 0, Buffer.byteLength(text));
        expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(text));
      }
    }
  }
});

test.each(['[""]', '["a"]', "[1,2]", '["a",null]', "{}", "[}", '""', '"', "", "[,]"])(
  "%s in place of a list is no list",
  (list) => {
    const sound = JSON.stringify(last(BEGIN));
    readBegin(Buffer.from(sound), 0, Buffer.byteLength(sound));
    for (const name of ["gateway", "headers"] as const) {
      const payload = Buffer.from(sound.replace(JSON.stringify(BEGIN[name]), list));
      expect(() => readBegin(payload, 0, payload.byteLength)).toThrow(UnreadableFrame);
    }
  },
);

test("a frame that differs from an earlier one in its time and lists is not parsed", () => {
  let parsed = 0;
  const frames = new FramesAlike<WithHeaders<BeginMeta>>(
    (...frame) => {
      parsed++;
      return readBegin(...frame);
    },
    { hasGateway: true },
  );
  const read = (meta: BeginMeta) => {
    const payload = Buffer.from(JSON.stringify(last(meta)));
    return frames.read(payload, 0, payload.byteLength);
  };
  for (const value of ["a", "b", "c"]) {
    const seen = read({
      ...BEGIN,
      time: BEGIN.time + 1,
      gateway: ["Gateway-User-Id", value],
      headers: ["Vary", value],
    });
    expect([seen.gateway[1], seen.headers.pairs[1], seen.time]).toEqual([value, value, BEGIN.time + 1]);
  }
  expect(parsed).toBe(1);
  expect(read({ ...BEGIN, gateway: [], headers: [] }).gateway).toEqual([]);
  expect(parsed).toBe(1);
  read({ ...BEGIN, path: "/other" });
  read({ ...BEGIN, omitRequest: true });
  expect(parsed).toBe(3);
});
