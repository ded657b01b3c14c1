import { expect, test } from "bun:test";
import fc from "fast-check";
import { EndsAlike } from "../../src/spool/ends-alike.ts";
import type { EndMeta } from "../../src/spool/frame.ts";
import { readEnd, UnreadableFrame } from "../../src/spool/read-meta.ts";
import { assertProperty } from "../chance.ts";

const time = fc.oneof(
  fc.double({ min: 1e12, max: 1e13, maxExcluded: true, noNaN: true }),
  fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  fc.constantFrom(0, 0.5, 1e-7, 999_999_999_999.5, 1e13, 8.64e15, 2 ** 40 + 2 ** -12),
);
const count = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 999_999_999_999_999));
const callStates = fc.constantFrom({ a: { time: 5 } }, { time: {} }, { 'x,"time":1': { requestBytes: 2 } }, { é: {} });
const ends = fc.record(
  {
    time,
    outcome: fc.constantFrom("complete", "failed"),
    requestBytes: count,
    responseBytes: count,
    forwardedAt: time,
    firstByteAt: time,
    status: fc.constantFrom(200, 499),
    error: fc.constantFrom({ code: "a", message: '"time":1' }, { code: "b", message: "é" }),
    callStates,
  },
  { requiredKeys: ["time", "outcome", "requestBytes", "responseBytes"] },
) as fc.Arbitrary<EndMeta>;

/** Reads a frame with others around it. */
function read(text: string): EndMeta {
  const payload = Buffer.from(`5${text}5`);
  return readEnd(payload, 1, payload.byteLength - 1);
}

test("a frame says the same, whatever was read before, and whatever the order of its members", () => {
  assertProperty(
    fc.property(fc.array(fc.tuple(ends, fc.boolean()), { minLength: 2, maxLength: 20 }), (metas) => {
      for (const [meta, isReversed] of metas) {
        const text = JSON.stringify(isReversed ? Object.fromEntries(Object.entries(meta).reverse()) : meta);
        expect(read(text)).toEqual(JSON.parse(text));
      }
    }),
    { numRuns: 1_000 },
  );
});

const END: EndMeta = {
  time: 1_790_000_000_123.25,
  outcome: "complete",
  requestBytes: 600,
  responseBytes: 1_000,
  forwardedAt: 1_790_000_000_120.5,
  firstByteAt: 1_790_000_000_122,
};

test("a frame that is nearly like an earlier one is not taken for it", () => {
  const sound = JSON.stringify(END);
  const valueIn = (text: string) => {
    try {
      return read(text);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableFrame);
      return undefined;
    }
  };
  const near = [0, 1].flatMap((removed) =>
    [...sound].flatMap((_, at) =>
      ["", "\0", " ", '"', ",", "-", ".", "0", "9", "5.5", ":", "e", "}", "é"].map(
        (put) => sound.slice(0, at) + put + sound.slice(at + removed),
      ),
    ),
  );
  let readable = 0;
  for (const text of [...near, sound.slice(0, -1), `${sound}}`, sound.replace("600", "1234567890123456")]) {
    expect(valueIn(sound)).toEqual(END);
    const value = valueIn(text);
    if (value === undefined) continue;
    expect(value).toEqual(JSON.parse(text));
    readable++;
  }
  expect(readable).toBeGreaterThan(100);
});

test("members of objects in a frame are not those of the frame, wherever they are", () => {
  const { time: _, ...rest } = END;
  for (const order of [0, 1, 2])
    for (const time of [END.time, END.time + 1])
      for (const inner of [END.time, END.time + 1, END.time + 2]) {
        const callStates = { a: { time: inner } };
        const orders = [
          { callStates, time, ...rest },
          { ...rest, callStates, time },
          { time, ...rest, callStates },
        ];
        expect(read(JSON.stringify(orders[order]))).toEqual(orders[order]!);
      }
});

test("what no writer writes stays unreadable behind a frame that is like it", () => {
  for (const member of ["requestBytes", "responseBytes"] as const)
    for (const value of ["1.5", "1790000000000.5", "01", "9007199254740993", ""]) {
      read(JSON.stringify(END));
      const text = JSON.stringify(END).replace(`"${member}":${END[member]}`, `"${member}":${value}`);
      expect(() => read(text)).toThrow(UnreadableFrame);
    }
});

test("a frame that differs from the last one in its numbers is not parsed", () => {
  let parsed = 0;
  const frames = new EndsAlike((...frame) => {
    parsed++;
    return readEnd(...frame);
  });
  const seen = (meta: EndMeta) => {
    const payload = Buffer.from(JSON.stringify(meta));
    expect(frames.read(payload, 0, payload.byteLength)).toEqual(meta);
    return parsed;
  };
  expect(seen(END)).toBe(1);
  expect(seen({ ...END, time: END.time + 1, requestBytes: 0, responseBytes: 7, firstByteAt: 5 })).toBe(1);
  expect(seen({ ...END, outcome: "failed" })).toBe(2);
  expect(seen({ ...END, status: 499 })).toBe(3);
});

test("numbers and names that are spelled in another way are read as a parser reads them", () => {
  const text = JSON.stringify(END);
  const exponent = text.replace(`"time":${END.time}`, '"time":1e3');
  read(exponent);
  expect(() => read(exponent.replace("1e3,", "1790"))).toThrow(UnreadableFrame);
  const twice = (time: number) =>
    `${text.slice(0, -1).replace(`"time":${END.time}`, `"time":${time}`)},"tim\\u0065":9}`;
  for (const time of [END.time, END.time + 1]) expect(read(twice(time)).time).toBe(9);
});
