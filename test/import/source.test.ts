import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Found, type Place, RecordSplitter } from "../../src/import/source.ts";
import { assertProperty } from "../chance.ts";

function split(text: string | Uint8Array, chunk = 7, from?: Place, bytesMax?: number): Found[] {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const splitter = new RecordSplitter(from, bytesMax);
  const found: Found[] = [];
  for (let at = from?.end ?? 0; at < bytes.length; at += chunk) {
    found.push(...splitter.push(bytes.subarray(at, at + chunk)));
  }
  return [...found, ...splitter.finish()];
}

const shown = (found: readonly Found[]) => found.map(({ number, text, why }) => [number, text ?? why]);

test.each([
  ["", []],
  [" \n\n ", []],
  ["[]", []],
  ["[ ]\n", []],
  ['{"a":1}', [[1, '{"a":1}']]],
  [
    '\ufeff{"a":1}\r\n{"b":2}\r\n',
    [
      [1, '{"a":1}'],
      [2, '{"b":2}'],
    ],
  ],
  [
    '{"a":1}\n\n{"b',
    [
      [1, '{"a":1}'],
      [3, '{"b'],
    ],
  ],
  ['\n\n{"a":1}', [[3, '{"a":1}']]],
  [
    '\ufeff[{"a":1},{"b":"]},{"}]',
    [
      [1, '{"a":1}'],
      [2, '{"b":"]},{"}'],
    ],
  ],
  [
    '[\n{"a":"\\""},\n7,[8,9]\n]\n',
    [
      [1, '{"a":"\\""}'],
      [2, "7"],
      [3, "[8,9]"],
    ],
  ],
  [
    "[1,2",
    [
      [1, "1"],
      [2, "the file ends inside its array"],
    ],
  ],
  [
    "[1]2",
    [
      [1, "1"],
      [2, "more follows after the array"],
    ],
  ],
  [
    "[1,,2]",
    [
      [1, "1"],
      [2, ""],
      [3, "2"],
    ],
  ],
  [
    '[\n{"a":"cut off\n,\n{"b":2}\n]',
    [
      [1, '{"a":"cut off'],
      [2, '{"b":2}'],
    ],
  ],
])("%j holds the records %j", (text, expected) => {
  for (const chunk of [1, 3, 1_000]) expect(shown(split(text, chunk))).toEqual(expected as [number, string][]);
});

test("a record that is too long or not UTF-8 is reported by its number, and the next one is found", () => {
  const long = `{"a":"${"x".repeat(100)}"}`;
  const bytes = Buffer.concat([
    Buffer.from(`${long}\n{"b":"`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}\n{"c":3}\n'),
  ]);
  const lines = shown(split(bytes, 5, undefined, 50));
  expect(lines).toEqual([
    [1, "longer than 50 bytes"],
    [2, "not UTF-8"],
    [3, '{"c":3}'],
  ]);
  expect(shown(split(`[${long},{"c":3}]`, 5, undefined, 50))).toEqual([
    [1, "longer than 50 bytes"],
    [2, '{"c":3}'],
  ]);
});

test("however a file is cut into chunks, and wherever reading continues, its records are the same", () => {
  const records = fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), {
    minLength: 1,
    maxLength: 8,
  });
  assertProperty(
    fc.property(records, fc.boolean(), fc.nat(40), fc.nat(7), (values, lines, chunk, stop) => {
      const texts = values.map((value) => JSON.stringify(value));
      const file = lines ? texts.join("\n") : `[\n${texts.join(",\n")}\n]\n`;
      const whole = split(file, chunk + 1);
      expect(shown(whole)).toEqual(texts.map((text, index) => [index + 1, text]));
      const { number, end } = whole[Math.min(stop, whole.length - 1)]!;
      const rest = split(file, chunk + 1, { shape: lines ? "lines" : "array", number, end });
      expect([...whole.slice(0, number), ...rest]).toEqual(whole);
    }),
    { numRuns: 200 },
  );
});
