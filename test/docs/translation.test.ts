import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { translationPage } from "../../build/shapes-doc.ts";
import { SHAPES } from "../../src/mapping/wire/shapes.ts";

test("docs/translation.md is what build/shapes-doc.ts writes", () => {
  expect(readFileSync(join(import.meta.dir, "../../docs/translation.md"), "utf8")).toBe(translationPage());
});

test("every shape has its column", () => {
  const head = translationPage()
    .split("\n")
    .find((line) => line.includes("`chat-completions`"))!;
  const shown = Object.keys(SHAPES).filter((name) => name !== "completions");
  expect(shown.filter((name) => !head.includes(`\`${name}\``))).toEqual([]);
});
