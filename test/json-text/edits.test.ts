import { expect, test } from "bun:test";
import fc from "fast-check";
import { areEdits, type Edit, edited } from "../../src/json-text/edits.ts";
import { assertProperty } from "../chance.ts";

/** A body, and edits of it in order; texts of one to four bytes a character. */
export const anyEdited = fc
  .tuple(
    fc.uint8Array({ maxLength: 400 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.string({ unit: "grapheme" })), { maxLength: 6 }),
  )
  .map(([bytes, given]) => {
    const places = given.flatMap((each) => [each[0], each[1]]).map((each) => each % (bytes.length + 1));
    places.sort((a, b) => a - b);
    const edits = given.map(([, , text], at): Edit => ({ from: places[at * 2]!, to: places[at * 2 + 1]!, text }));
    return { bytes: Buffer.from(bytes), edits };
  });

/** The same, plainly. */
function byPieces(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let read = 0;
  for (const { from, to, text } of edits) {
    pieces.push(bytes.subarray(read, from), Buffer.from(text));
    read = to;
  }
  return Buffer.concat([...pieces, bytes.subarray(read)]);
}

test("any edits of any bytes are applied byte for byte, also after they were JSON", () => {
  assertProperty(
    fc.property(anyEdited, ({ bytes, edits }) => {
      const copied: unknown = JSON.parse(JSON.stringify(edits));
      expect(areEdits(copied, bytes.length)).toBe(true);
      expect(edited(bytes, copied as Edit[]).equals(byPieces(bytes, edits))).toBe(true);
    }),
  );
});

test.each([
  [null],
  [{}],
  [[null]],
  [[{ from: 0, to: 1 }]],
  [[{ from: 0, to: 1, text: 1 }]],
  [[{ from: -1, to: 1, text: "" }]],
  [[{ from: 2, to: 1, text: "" }]],
  [[{ from: 0, to: 11, text: "" }]],
  [[{ from: 0.5, to: 1, text: "" }]],
  [
    [
      { from: 3, to: 5, text: "" },
      { from: 4, to: 6, text: "" },
    ],
  ],
])("%j are no edits of ten bytes", (value) => {
  expect(areEdits(value, 10)).toBe(false);
});
