import { expect, test } from "bun:test";
import fc from "fast-check";
import { folded, lineDiff, linesWithin } from "../../src/web/pages/request/line-diff.ts";
import { assertProperty } from "../chance.ts";

const shown = (before: string, after: string) => lineDiff(before, after).map(({ mark, text }) => mark + text);

test("a changed line stands between those that are the same", () => {
  expect(shown("a\nb\nc", "a\nx\nc")).toEqual([" a", "-b", "+x", " c"]);
  expect(shown("a\nb", "a\nb")).toEqual([" a", " b"]);
  expect(shown("a\nb\nc\nd", "b\nd\ne")).toEqual(["-a", " b", "-c", " d", "+e"]);
});

test("from a diff both texts can be read again, and equal texts have no change", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 })
    .map((all) => all.join("\n"));
  assertProperty(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      const without = (mark: string) => lines.filter((line) => line.mark !== mark).map((line) => line.text);
      expect(without("+").join("\n")).toBe(before);
      expect(without("-").join("\n")).toBe(after);
      expect(lines.every(({ mark }) => mark === " ")).toBe(before === after);
    }),
  );
});

test("long runs of equal lines are left out", () => {
  const many = Array.from({ length: 20 }, (_, at) => `${at}`);
  const lines = folded(lineDiff(many.join("\n"), [...many, "new"].join("\n")));
  expect(lines[0]).toBe(17);
  expect(lines.slice(1).map((line) => (typeof line === "number" ? line : line.mark))).toEqual([" ", " ", " ", "+"]);
});

test("texts beyond the bound are shown one after the other", () => {
  const long = (word: string) => Array.from({ length: 2_500 }, (_, at) => `${word}${at}`).join("\n");
  expect(lineDiff(long("a"), long("b"))).toHaveLength(5_000);
});

test.each([
  [0, 100, 1],
  [3, 99, 1],
  [3, 200, 2],
  [3, 10_000, 3],
])(
  "of lines, an equal run and a long line, those that fit are shown: %i short ones in %i characters",
  (short, chars, shown) => {
    const lines = [
      ...Array.from({ length: short }, () => ({ mark: "+", text: "a" }) as const),
      { mark: "-", text: "b".repeat(50_000) } as const,
      7,
    ];
    expect(linesWithin(lines, chars, 20_000)).toBe(shown);
  },
);
