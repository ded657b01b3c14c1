import { expect, test } from "bun:test";
import fc from "fast-check";
import { printTable } from "../../src/cli/print.ts";
import { cutTo, widthOf } from "../../src/cli/width.ts";
import { assertProperty } from "../chance.ts";
import { commandLine } from "./terminal.ts";

const KEY = "0198f2c4-5d3e-7c1a-9b1e-2f6a7c8d9e0f";
const HEADINGS = ["id", "name", "scopes", "state", "created"];
const ROWS = [
  [KEY, "laptop", "gateway,read,write", "usable", "2026-11-21T19:00:00.000Z"],
  [KEY, "一号机房的网关密钥", "gateway", "revoked", "2026-11-21T19:00:00.000Z"],
  [KEY, "👩‍👩‍👧 family 🇩🇪", "read", "usable", "never"],
];

function printed(columns: number | undefined, rows: readonly (readonly string[])[] = ROWS, headings = HEADINGS) {
  let text = "";
  const out = (more: string) => {
    text += more;
  };
  printTable({ out, err: () => {}, columns, env: {}, workingDirectory: "/" }, headings, rows);
  expect(text).toEndWith("\n");
  return text.slice(0, -1).split("\n");
}

test.each([
  "",
  "abc",
  "é",
  "e\u0301",
  "漢字かな",
  "한국어",
  "ｶﾅ",
  "ＡＢＣ",
  "👍🏽",
  "👩‍👩‍👧",
  "🇩🇪",
  "❤️",
  "❤",
  "1️⃣",
  "…",
  "→",
  "ไทย",
  "नमस्ते",
])("the width of %j is what the runtime takes it for", (text) => {
  expect(widthOf(text)).toBe(Bun.stringWidth(text));
});

test("a text is cut where a whole sign of it ends", () => {
  expect(["laptop", "一号机房", "ab👩‍👩‍👧cd", "e\u0301e\u0301e\u0301"].map((text) => cutTo(4, text))).toEqual([
    "lap…",
    "一…",
    "ab…",
    "e\u0301e\u0301e\u0301",
  ]);
});

test("a table that is no terminal's is whole", () => {
  expect(printed(undefined)).toEqual([
    `ID                                    NAME                SCOPES              STATE    CREATED`,
    `${KEY}  laptop              gateway,read,write  usable   2026-11-21T19:00:00.000Z`,
    `${KEY}  一号机房的网关密钥  gateway             revoked  2026-11-21T19:00:00.000Z`,
    `${KEY}  👩‍👩‍👧 family 🇩🇪        read                usable   never`,
  ]);
});

test("on a terminal the widest columns are cut, then the last ones left out, and ids stay whole", () => {
  expect(printed(80)).toEqual([
    `ID                                    NAME       SCOPES      STATE    CREATED`,
    `${KEY}  laptop     gateway,r…  usable   2026-11-2…`,
    `${KEY}  一号机房…  gateway     revoked  2026-11-2…`,
    `${KEY}  👩‍👩‍👧 famil…  read        usable   never`,
  ]);
  expect(printed(60)).toEqual([
    `ID                                    NAME        SCOPES`,
    `${KEY}  laptop      gateway,r…`,
    `${KEY}  一号机房…   gateway`,
    `${KEY}  👩‍👩‍👧 family…  read`,
  ]);
  expect(printed(20)).toEqual(["ID", ...ROWS.map(() => `${KEY.slice(0, 19)}…`)]);
});

const sign = fc.constantFrom(
  "a",
  " ",
  "é",
  "e\u0301",
  "漢",
  "한",
  "👍🏽",
  "👩‍👩‍👧",
  "🇩🇪",
  "\n",
  "\x1b[31m",
  "\u202e",
  "\u200b",
);
const cell = fc.array(sign, { maxLength: 40 }).map((signs) => signs.join(""));

test("whatever is in a table, its lines are as many as its rows and no wider than the terminal", () => {
  const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 });
  assertProperty(
    fc.property(rows, fc.integer({ min: 1, max: 90 }), (some, columns) => {
      const lines = printed(columns, some, ["one", "two", "three"]);
      expect(lines).toHaveLength(some.length + 1);
      for (const line of lines) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/[\x00-\x1f\u202e]/);
      }
    }),
  );
});

test("a command's list is as wide as the terminal at most", async () => {
  const cli = commandLine({}, 60);
  await cli.run("keys", "create", "--name", "一号机房的网关密钥");
  const { out } = await cli.run("keys", "list");
  const [heading, row] = out.split("\n");
  expect(heading).toMatch(/^ID +NAME +ORGANIZ/);
  expect(Bun.stringWidth(row!)).toBeLessThanOrEqual(60);
});

test.each([[["help"]], [["help", "export"]], [["help", "domains"]], [["doctor", "--help"]]])(
  "the help of %p keeps to the terminal, breaks between words and says the same",
  async (words) => {
    const { out: whole } = await commandLine().run(...words);
    const { out } = await commandLine({}, 72).run(...words);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(72);
    expect(out.split(/\s+/)).toEqual(whole.split(/\s+/));
  },
);
