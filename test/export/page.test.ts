import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readEnvelope } from "../../src/api-client/envelope.ts";
import { openCompact } from "../../src/export/compact-page.ts";
import { cursorAtEnd, readPage } from "../../src/export/read-page.ts";
import { assertProperty } from "../chance.ts";

/** Texts that end a record, begin one, or name a member that expires, wherever they stand. */
const HOSTILE = [
  '},{"request_id":"',
  '"},{"request_id":"1"}],"error":null}',
  ',"signed_body_url":"x"',
  'it ends in "signed_body_url',
  "asset_urls",
  "signed_body_url",
  "\\u0073igned_body_url",
  "nul \u0000",
  "é, 漢字, 🦦, \u2028, \ud800",
  "",
];
const NAMES = ["request_id", "signed_body_url", "asset_urls", "data", "é", "a"];

type Tree = string | number | null | readonly Tree[] | Members;
/** A list and no object, so that a name may come twice. */
interface Members {
  readonly members: readonly (readonly [name: string, value: Tree])[];
}

const { tree: anyTree } = fc.letrec<{ tree: Tree; members: Members }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.constantFrom(...HOSTILE), fc.integer(), fc.constant(null), fc.string({ unit: "binary" })),
    fc.array(tie("tree"), { maxLength: 3 }),
    tie("members"),
  ),
  members: fc.record({ members: fc.array(fc.tuple(fc.constantFrom(...NAMES), tie("tree")), { maxLength: 4 }) }),
}));
const anyRow = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(fc.constantFrom(...NAMES), anyTree), { maxLength: 8 }))
  .map(([usual, members]): Members => ({ members: usual ? [["request_id", "1"], ...members] : members }));
const anyRows = fc.array(anyRow, { maxLength: 6 });

/** How the JSON is written: what may stand between two tokens, and whether names are spelled out in codes. */
interface Hand {
  readonly gap: string;
  readonly escaped: boolean;
}
const COMPACT: Hand = { gap: "", escaped: false };
const anyHand: fc.Arbitrary<Hand> = fc.oneof(
  fc.constant(COMPACT),
  fc.record({ gap: fc.constantFrom("", " ", "\t", "\r", "\n  "), escaped: fc.boolean() }),
);

function write(tree: Tree, hand: Hand): string {
  const { gap } = hand;
  if (typeof tree !== "object" || tree === null) return JSON.stringify(tree);
  if (!("members" in tree)) return `[${tree.map((value) => gap + write(value, hand)).join(`${gap},`)}${gap}]`;
  const members = tree.members.map(
    ([name, value]) => `${gap}${nameText(name, hand)}${gap}:${gap}${write(value, hand)}`,
  );
  return `{${members.join(`${gap},`)}${gap}}`;
}

function nameText(name: string, { escaped }: Hand): string {
  if (!escaped) return JSON.stringify(name);
  const codes = Array.from({ length: name.length }, (_, at) => name.charCodeAt(at).toString(16).padStart(4, "0"));
  return `"${codes.map((code) => `\\u${code}`).join("")}"`;
}

/** The two envelopes hold the same list; only the first one is that of a Weir. */
const quick = (list: string) => `{"data":${list},"error":null,"next_cursor":null}`;
const other = (list: string) => `{"error":null,"data":${list},"next_cursor":null}`;

function linesOf(text: string): string {
  return readPage(Buffer.from(text), 1000).lines.toString();
}

/** What a response means to `JSON.parse`; undefined when that is nothing. */
function meant(text: string): string[] | undefined {
  try {
    const { data, error } = JSON.parse(text) as { data: Record<string, unknown>[]; error?: unknown };
    if ((error ?? null) !== null) return undefined;
    return data.map((row) => {
      if (typeof row !== "object" || Array.isArray(row)) throw new TypeError("no record");
      delete row["signed_body_url"];
      delete row["asset_urls"];
      return JSON.stringify(row);
    });
  } catch {
    return undefined;
  }
}

test("the rows of a page are the same, whichever way they are found", () => {
  assertProperty(
    fc.property(anyRows, anyHand, (rows, hand) => {
      const list = write(rows, hand);
      const lines = linesOf(quick(list));
      expect(linesOf(other(list))).toBe(lines);
      const texts = lines.split("\n").slice(0, -1);
      expect(texts.map((line) => JSON.stringify(JSON.parse(line)))).toEqual(meant(quick(list)) ?? ["unreadable"]);
    }),
    { numRuns: 1000 },
  );
});

test("a page as a Weir writes it is found the quick way, whatever its records hold", () => {
  const anyText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }));
  const anyRecord = fc.record({
    request_id: fc.uuid(),
    request_path: anyText,
    properties: fc.dictionary(fc.constantFrom(...NAMES, ...HOSTILE), anyText),
    asset_urls: fc.dictionary(anyText, fc.webUrl()),
    signed_body_url: fc.webUrl(),
    updated_at: fc.constant("2026-05-20T00:00:00.000Z"),
    request_body: fc.oneof(anyText, fc.dictionary(fc.constantFrom(...NAMES, ...HOSTILE), anyText)),
  });
  assertProperty(
    fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 4 }), (records) => {
      const bytes = Buffer.from(quick(JSON.stringify(records)));
      expect(openCompact(Buffer.from(bytes))?.rows).toBe(records.length);
      const kept = records.map(({ signed_body_url, asset_urls, ...rest }) => `${JSON.stringify(rest)}\n`);
      expect(readPage(bytes, 1000).lines.toString()).toBe(kept.join(""));
    }),
    { numRuns: 300 },
  );
});

test("a page with missing or repeated members is read as JSON.parse reads it, or not at all", () => {
  assertProperty(
    fc.property(anyRows, fc.nat(), fc.nat({ max: 40 }), fc.boolean(), (rows, place, length, twice) => {
      const whole = quick(write(rows, COMPACT));
      const at = place % whole.length;
      const cut = whole.slice(0, at) + (twice ? whole.slice(at, at + length) : "") + whole.slice(at + length);
      const broken = cut.toWellFormed();
      const expected = meant(broken);
      const read = () =>
        linesOf(broken)
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.stringify(JSON.parse(line)));
      if (expected === undefined) expect(read).toThrow();
      else expect(read()).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

test("a page with a byte that is no UTF-8 is not read, however it is written", () => {
  for (const write of [quick, other]) {
    const bytes = Buffer.from(write('[{"request_id":"1","model":"m"}]'));
    bytes[bytes.indexOf('m"}')] = 0xff;
    for (const read of [readPage, readEnvelope]) expect(() => read(bytes, 1000)).toThrow("not UTF-8");
  }
});

describe("the cursor at the end of a response", () => {
  test.each([
    ["of a Weir", '{"data":[],"error":null,"next_cursor":"eyJ2IjoxfQ"}', "eyJ2IjoxfQ"],
    ["of a long page", `{"data":["${"x".repeat(5_000)}"],"error":null,"next_cursor":"a_b-c="}`, "a_b-c="],
    ["of the last page", '{"data":[],"error":null,"next_cursor":null}', undefined],
    ["not at the end", '{"data":[],"next_cursor":"abc","error":null}', undefined],
    ["with a quote", '{"data":[],"error":null,"next_cursor":"a\\"b"}', undefined],
    ["cut off", '{"data":[],"error":null,"next_cursor":"abc', undefined],
    ["of nothing", "", undefined],
  ])("%s", (_name, response, cursor) => {
    expect(cursorAtEnd(Buffer.from(response))).toBe(cursor as string);
  });
});

test("a search's page may be without records although more follow, and no other page may", () => {
  const empty = Buffer.from('{"data":[],"error":null,"next_cursor":"abc","searched_to":"2026-01-01T00:00:00.000Z"}');
  expect(readPage(empty, 10, true)).toMatchObject({ rows: 0, nextCursor: "abc" });
  expect(() => readPage(empty, 10)).toThrow("a page without records that is not the last one");
});
