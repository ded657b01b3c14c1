import { expect, test } from "bun:test";
import { table } from "../../src/cli/print.ts";
import { createLog } from "../../src/observe.ts";

test("a table has its columns below their headings", () => {
  expect(
    table(
      ["model", "count"],
      [
        ["gpt-4o", "12"],
        ["m", "3"],
      ],
    ),
  ).toBe("MODEL   COUNT\ngpt-4o  12\nm       3\n");
});

test("a name in a table moves nothing on the terminal, and takes one line", () => {
  expect(table(["model", "state"], [["a\x1b[2J\nb\x9bm", "ok"]])).toBe("MODEL      STATE\na [2J b m  ok\n");
});

test("a name that is too long is cut, unless nothing stands behind it", () => {
  const [, cut, whole] = table(
    ["model", "why"],
    [
      ["m".repeat(500), "x"],
      ["m", "w".repeat(500)],
    ],
  ).split("\n");
  expect(cut).toBe(`${"m".repeat(79)}…  x`);
  expect(whole).toEndWith("w".repeat(500));
});

test("a log for people moves nothing on the terminal either", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "text", write: (line) => void lines.push(line) });
  log.info("a model\x1b[2J", { model: "m\x1b]0;title\x07" });
  expect(lines.join("")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});
