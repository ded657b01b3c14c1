import { expect, test } from "bun:test";
import fc from "fast-check";
import { printTable } from "../../src/cli/print.ts";
import { cutTo, foldTo, widthOf } from "../../src/cli/width.ts";
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
  printTable({ out, err: () => {}, columns, env: { NO_COLOR: "1" }, workingDirectory: "/" }, headings, rows);
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
  expect(heading).toMatch(/^ID +NAME +EXPIRES$/);
  expect(Bun.stringWidth(row!)).toBeLessThanOrEqual(60);
});

test("at 80 columns a list of keys shows when they expire, and shortens only names", async () => {
  const cli = commandLine({ NO_COLOR: "1" }, 80);
  const create = (...words: string[]) => cli.run("keys", "create", "--name", ...words);
  await create("a rather long name of a key");
  await create("soon", "--expires", "2030-02-03T04:05:06Z");
  await create("boss", "--scopes", "read,admin");
  await cli.run("keys", "revoke", JSON.parse((await cli.run("keys", "list", "--json")).out).at(-1).id);
  const { out, err } = await cli.run("keys", "list");
  const [heading, ...rows] = out.trimEnd().split("\n");
  expect(heading!.split(/ {2,}/)).toEqual(["ID", "NAME", "EXPIRES", "SCOPES"]);
  expect(rows.map((row) => row.split(/ {2,}/).slice(1)).sort()).toEqual([
    ["a rather …", "never", "gateway,read,write"],
    ["boss", expect.stringMatching(/^never$|^revoked$/), "admin"],
    ["soon", expect.stringMatching(/^2030-02-03$|^revoked$/), "gateway,read,write"],
  ]);
  expect(out).toContain("revoked");
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);
  expect(err).toBe("columns left out: organization, user, last used, created, models, credentials\n");
});

test.each([
  ["a terminal", {}, 120, "\u001b[32mnever", false],
  ["a terminal", {}, 120, "\u001b[31mrevoked\u001b[39m", true],
  ["NO_COLOR", { NO_COLOR: "1" }, 120, "\u001b", false],
  ["a terminal without colours", { TERM: "dumb" }, 120, "\u001b", false],
  ["a file", {}, undefined, "\u001b", false],
] as const)("on %s with %j, of %p columns, there is %j: %p", async (_name, env, columns, code, there) => {
  const cli = commandLine(env, columns);
  await cli.run("keys", "create", "--name", "x");
  await cli.run("keys", "revoke", JSON.parse((await cli.run("keys", "list", "--json")).out)[0].id);
  expect((await cli.run("keys", "list")).out.includes(code)).toBe(there);
});

test("the doctor's verdicts have colours on a terminal, and only there", async () => {
  const [coloured, plain] = [commandLine({ WEIR_NOPE: "1" }, 100), commandLine({ WEIR_NOPE: "1", NO_COLOR: "1" }, 100)];
  expect((await coloured.run("doctor")).out).toContain("\u001b[31mfail\u001b[39m  configuration");
  expect((await plain.run("doctor")).out).toContain("\nfail  configuration");
});

test("domains without calls are listed with --all, and in JSON", async () => {
  const cli = commandLine();
  const approved = await cli.run("domains", "approve", "llm.example.test");
  expect(approved.err).toBe("llm.example.test is approved; a running service follows within a second\n");
  const { out, err } = await cli.run("domains", "list");
  expect(out.trimEnd().split("\n")).toHaveLength(2);
  expect(out).toMatch(/^llm\.example\.test +approved /m);
  expect(err).toMatch(/^\d{2,} hosts of providers are approved and had no request today; --all lists them\n$/);
  const whole = await cli.run("domains", "list", "--all");
  expect(whole.out).toMatch(/^api\.openai\.com +approved /m);
  expect(whole.err).toBe("");
  expect(JSON.parse((await cli.run("domains", "list", "--json")).out).length).toBeGreaterThan(50);
});

test.each([[["help"]], [["help", "export"]], [["help", "domains"]], [["doctor", "--help"]]])(
  "the help of %p fits the terminal, breaks between words and loses no text",
  async (words) => {
    const { out: whole } = await commandLine().run(...words);
    const { out } = await commandLine({}, 72).run(...words);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(72);
    expect(out.split(/\s+/)).toEqual(whole.split(/\s+/));
  },
);

test("a line that is folded has its words in order, none beyond the width that fits it", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 });
  assertProperty(
    fc.property(words, fc.integer({ min: 24, max: 100 }), fc.nat(8), (all, columns, indent) => {
      const lines = foldTo(columns, all.join(" "), indent).split("\n");
      expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(all);
      for (const [at, line] of lines.entries()) {
        expect(line.length).toBeLessThanOrEqual(columns);
        if (at > 0) expect(line).toStartWith(" ".repeat(indent));
      }
    }),
  );
});
