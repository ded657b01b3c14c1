import { expect, test } from "bun:test";
import fc from "fast-check";
import { RecentTexts } from "../../src/spool/recent-texts.ts";
import { assertProperty } from "../chance.ts";

const texts = new RecentTexts((text) => text);
/** Few letters and lengths, so that different texts have the same length, ends and slot. */
const bytes = fc.oneof(
  fc.array(fc.constantFrom(0x61, 0x62, 0x7f, 0x80, 0xc3, 0xa9, 0xe9, 0xff), { maxLength: 6 }),
  fc.array(fc.constantFrom(0x61, 0x62), { minLength: 100, maxLength: 140 }),
);

test("bytes mean what their text means, whatever was read before", () => {
  assertProperty(
    fc.property(fc.array(bytes, { minLength: 1, maxLength: 30 }), fc.nat(3), (lists, before) => {
      for (const list of lists) {
        const buffer = Buffer.from([...Array(before).fill(0x61), ...list, 0x61]);
        const to = before + list.length;
        expect(texts.at(buffer, before, to)).toBe(buffer.toString("utf8", before, to));
      }
    }),
    { numRuns: 500 },
  );
});

test("the beginning of a text is another text", () => {
  // In the slot of the first: eight letters more are 8 less modulo 256, which the letter in the middle makes up for.
  for (const text of ["aaaa", "aaaaaaiaaaaa"]) expect(texts.at(Buffer.from(text), 0, text.length)).toBe(text);
});

test("a text that comes again is not read again, unless it is long", () => {
  const read: string[] = [];
  const noted = new RecentTexts((text) => read.push(text));
  const [short, long] = [Buffer.from("application/json"), Buffer.alloc(129, "a")];
  for (const each of [short, short, long, long]) noted.at(each, 0, each.byteLength);
  expect(read).toEqual([short, long, long].map(String));
});
