import { expect, test } from "bun:test";
import fc from "fast-check";
import { columnOf, type RequestRow } from "../../src/web/pages/requests/columns.tsx";
import { type SessionStep, stepLabel } from "../../src/web/pages/session/steps.ts";
import { withoutMarks } from "../../src/web/parts/plain-text.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["Yes: go on **Saturday**, it is *dry*", "Yes: go on Saturday, it is dry"],
  ["## Plan\n\n> quoted", "Plan\n\nquoted"],
  ["* one\n+ two\n- three\n1. four", "- one\n- two\n- three\n1. four"],
  ["use `npm ci`, not ``a`b``", "use npm ci, not ``a`b``"],
  ["```ts\nconst a = 1;\n```", "\nconst a = 1;\n"],
  ["see [the page](https://example.com/a_(b)) and ![a picture](x.png)", "see the page and a picture"],
  ["| a | b |\n|---|--:|\n| 1 | 2 |", "| a | b |\n\n| 1 | 2 |"],
  ["***both*** and __bold__ and ~~gone~~ and _slanted_", "both and bold and gone and slanted"],
  ["an excerpt that ends in **the mid", "an excerpt that ends in the mid"],
])("%p is shown as %p", (text, shown) => {
  expect(withoutMarks(text)).toBe(shown);
});

test.each([
  "2 * 3 * 4 and 2**3 and a * b",
  "a_file_name and __init",
  "#1 and C# and 5 > 4",
  '{"text": "**kept**"}',
  '[{"type": "text", "text": "**kept**"}]',
  '→ write({"text": "**kept**"})',
  "[1] a footnote, and f(x)",
  "日本語の文",
])("%p is no Markdown and stays", (text) => {
  expect(withoutMarks(text)).toBe(text);
});

test("any text keeps its lines, and its letters and digits outside links and fences", () => {
  const withoutFences = fc.stringMatching(/^[ab1 *_~#>\n-]{0,60}$/).filter((text) => !/^\s*~~~/m.test(text));
  assertProperty(
    fc.property(withoutFences, (text) => {
      const shown = withoutMarks(text);
      expect(shown.split("\n")).toHaveLength(text.split("\n").length);
      expect(shown.replace(/[^ab1]/g, "")).toBe(text.replace(/[^ab1]/g, ""));
    }),
  );
});

test("the list's cells and a session's steps show excerpts without marks", () => {
  const words = { input: "## Task\nSay **hi**", output: "\n**Hello** to\n\nyou" };
  const cells = ["input", "output"].map((id) => columnOf(id)!.cell(words as RequestRow));
  expect(cells).toEqual(["Task Say hi", "Hello to you"]);
  expect(stepLabel({ ...words, model: null } as SessionStep)).toBe("Hello to");
});
