import { expect, test } from "bun:test";
import fc from "fast-check";
import { ChunkMemory, type ChunkPlace } from "../../../src/store/packs/chunk-memory.ts";
import { CHUNK_BYTES_MAX, cut, cutAround } from "../../../src/store/packs/cut.ts";
import { decodePlaced, encodePlaced, FORMS, PARTS, type Placed } from "../../../src/store/packs/placed.ts";
import { VarintReader, VarintWriter } from "../../../src/store/packs/varint.ts";
import { assertProperty, chance } from "../../chance.ts";

const random = chance("packs");

test("chunks are the body, in order, none longer than the most and only the last one shorter than the least", () => {
  const anySize = fc.oneof(fc.integer({ min: 0, max: 1_100 }), fc.integer({ min: 0, max: 60_000 }));
  // Few different bytes too: such a body may have no place to be cut at.
  assertProperty(
    fc.property(anySize, fc.constantFrom(1, 2, 16, 256), (size, letters) => {
      const bytes = random.bytes(size).map((byte) => byte % letters);
      const ends = cut(bytes);
      expect(ends.at(-1) ?? 0).toBe(size);
      const lengths = ends.map((end, at) => end - (ends[at - 1] ?? 0));
      expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(CHUNK_BYTES_MAX);
      expect(Math.min(512, ...lengths.slice(0, -1))).toBe(512);
    }),
  );
});

test("a repeated stretch is cut separately from its surroundings", () => {
  const file = random.bytes(100_000);
  const around = [0, 700, 40_000].map((before) => {
    const bytes = Buffer.concat([random.bytes(before), file, random.bytes(9_000), file]);
    const places = [before, before + 109_000].map((offset) => ({ offset, length: file.length }));
    const ends = cutAround(bytes, places);
    expect(ends.at(-1)).toBe(bytes.length);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    const within = ends.filter((end) => end > before && end <= before + file.length).map((end) => end - before);
    const again = ends.filter((end) => end > places[1]!.offset).map((end) => end - places[1]!.offset);
    expect(again).toEqual(within);
    return within;
  });
  expect(around[1]).toEqual(around[0]!);
  expect(around[2]).toEqual([32_768, 65_536, 98_304, 100_000]);
  const plain = random.bytes(30_000);
  expect(cutAround(plain, [])).toEqual(cut(plain));
  const odd = [
    { offset: 5_000, length: 4_000 },
    { offset: 8_000, length: 4_000 },
    { offset: 29_000, length: 4_000 },
  ];
  expect(cutAround(plain, odd)).toEqual(cutAround(plain, odd.slice(0, 1)));
});

test("a change moves only the adjacent cuts", () => {
  assertProperty(
    fc.property(fc.integer({ min: 0, max: 199_999 }), fc.integer({ min: 0, max: 5_000 }), (at, count) => {
      const bytes = random.bytes(200_000);
      const changed = Buffer.concat([bytes.subarray(0, at), random.bytes(count), bytes.subarray(at)]);
      const before = new Set(cut(bytes).filter((end) => end > at));
      const after = cut(changed).map((end) => end - count);
      const behind = after.filter((end) => end > at + 40_000);
      expect(behind.filter((end) => !before.has(end))).toEqual([]);
      expect(cut(changed).filter((end) => end <= at)).toEqual(cut(bytes).filter((end) => end <= at));
    }),
    { numRuns: 30 },
  );
  const cuts = cut(random.bytes(4_000_000)).length;
  expect(4_000_000 / cuts).toBeGreaterThan(2_000);
  expect(4_000_000 / cuts).toBeLessThan(3_200);
});

test("numbers, bytes and texts are read as they were written, and too few bytes are refused", () => {
  const anyValue = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.string({ unit: "grapheme" }), fc.uint8Array());
  assertProperty(
    fc.property(fc.array(anyValue), (values) => {
      const writer = new VarintWriter();
      for (const value of values) {
        if (typeof value === "number") writer.number(value);
        else if (typeof value === "string") writer.text(value);
        else writer.bytes(value);
      }
      const bytes = writer.finish();
      const reader = new VarintReader(bytes);
      const read = (value: (typeof values)[number]) => {
        if (typeof value === "number") return reader.number();
        return typeof value === "string" ? reader.text() : new Uint8Array(reader.bytes(value.length));
      };
      expect(values.map(read)).toEqual(
        values.map((value) => (typeof value === "object" ? new Uint8Array(value) : value)),
      );
      expect(reader.done).toBe(true);
      expect(() => reader.number()).toThrow(RangeError);
    }),
  );
});

const HOME = 1_000_000;
const anyRanges = fc.array(
  fc.record({ pack: fc.integer({ min: HOME - 4_096, max: HOME }), offset: fc.nat(131_072), length: fc.nat(131_072) }),
  { maxLength: 5 },
);
const anyText = fc.option(
  fc.oneof(
    fc.record({ within: fc.nat(9), offset: fc.nat(200_000), length: fc.nat(9_000) }),
    fc.record({ ranges: anyRanges }),
  ),
);
const anyPlaced: fc.Arbitrary<Placed> = fc.record({
  fresh: fc.nat(2 ** 31),
  parts: fc.array(
    fc.record({
      part: fc.constantFrom(...PARTS),
      form: fc.constantFrom(...FORMS),
      sent: fc.boolean(),
      contentType: fc.option(fc.string()),
      ranges: anyRanges,
      files: fc.array(fc.record({ offset: fc.nat(2 ** 30), length: fc.nat(2 ** 30), asset: fc.nat(40) })),
    }),
  ),
  assets: fc.array(
    fc.record({
      id: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((id) => Buffer.from(id).toString("hex")),
      contentType: fc.string(),
      ranges: anyRanges,
    }),
  ),
  prompt: anyText,
  completion: anyText,
  input: anyText,
  output: anyText,
});

test("the places of a request's parts are read as they were written, and other bytes are refused", () => {
  assertProperty(
    fc.property(anyPlaced, fc.nat(400), (placed, end) => {
      const bytes = encodePlaced(placed, HOME);
      expect(decodePlaced(bytes, HOME)).toEqual(placed);
      try {
        decodePlaced(bytes.subarray(0, end % (bytes.length + 1)), HOME);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
  const inTwo = [HOME, HOME - 1, HOME, HOME - 1].map((pack, at) => ({ pack, offset: at * 600, length: 600 }));
  const alternating = { fresh: 0, parts: [], assets: [], prompt: { ranges: inTwo }, completion: null };
  const both: Placed = { ...alternating, input: { ranges: inTwo.toReversed() }, output: null };
  expect(decodePlaced(encodePlaced(both, HOME), HOME)).toEqual(both);
  // Where a range starts is not written if it follows the last one in its pack, whichever packs are between.
  const turns = [0, 1, 2, 0, 1, 2, 2, 1, 0, 3, 0].map((pack, at) => ({
    pack: HOME - pack,
    offset: 90_000 + at,
    length: 1,
  }));
  const ends = new Map<number, number>();
  const following = turns.map((range) => {
    const offset = ends.get(range.pack) ?? range.offset;
    ends.set(range.pack, offset + 1);
    return { ...range, offset };
  });
  const sizeOf = (ranges: typeof turns) => encodePlaced({ ...both, input: null, prompt: { ranges } }, HOME).length;
  // The range that follows where the one before it ended does so in both.
  expect(sizeOf(turns) - sizeOf(following)).toBe(3 * 6);
  const range = (offset: number, length: number) => [{ pack: HOME, offset, length }];
  const small = PARTS.slice(0, 3).map((part, at) => {
    return {
      part,
      form: "json" as const,
      sent: false,
      contentType: null,
      ranges: range(1_000 + at * 600, 600),
      files: [],
    };
  });
  const noTexts = { prompt: null, completion: null, input: null, output: null };
  const usual = encodePlaced({ fresh: 1_800, parts: small, assets: [], ...noTexts }, HOME);
  expect(usual.length).toBe(16);
});

test("chunks are remembered where they were put last, until their packs are forgotten", () => {
  const key = (number: number) => {
    const sum = new Uint32Array(Bun.SHA256.hash(String(number)).buffer, 0, 4);
    return sum;
  };
  const anyAct = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        put: fc.nat(12_000),
        pack: fc.integer({ min: 1, max: 2 ** 34 }),
        offset: fc.nat(2 ** 31),
      }),
    },
    { weight: 1, arbitrary: fc.record({ forget: fc.array(fc.integer({ min: 0, max: 30 })) }) },
  );
  assertProperty(
    fc.property(fc.array(anyAct, { maxLength: 60 }), fc.integer({ min: 1, max: 9_000 }), (acts, many) => {
      const memory = new ChunkMemory();
      const model = new Map<number, ChunkPlace>();
      const put = (number: number, place: ChunkPlace) => {
        memory.put(key(number), place, 0);
        model.set(number, place);
      };
      for (let number = 0; number < many; number++) put(number, { pack: (number % 31) + 1, offset: number });
      for (const act of acts) {
        if ("put" in act) put(act.put, act);
        else {
          memory.forget(new Set(act.forget));
          for (const [number, { pack }] of model) if (act.forget.includes(pack)) model.delete(number);
        }
      }
      for (let number = 0; number < 12_100; number += 7) {
        const known = model.get(number);
        expect(memory.get(key(number))).toEqual(known && { pack: known.pack, offset: known.offset });
      }
    }),
    { numRuns: 10 },
  );
});

test("what is far behind makes room for what is new", () => {
  const memory = new ChunkMemory();
  const key = (number: number) => new Uint32Array(Bun.SHA256.hash(String(number)).buffer, 0, 4);
  for (let number = 0; number < 40_000; number++)
    memory.put(key(number), { pack: number + 1, offset: 0 }, number - 1_000);
  const known = Array.from({ length: 40_000 }, (_, number) => number).filter((number) => memory.get(key(number)));
  expect(known.length).toBeLessThan(4_096);
  expect(known.length).toBeGreaterThan(1_000);
  expect(known.at(-1)).toBe(39_999);
});
