import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { readBody } from "../../src/bodies/body.ts";
import { bodyParts } from "../../src/bodies/stored-parts.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import { RecordedExchange } from "../../src/recorder/prepare/recorded-exchange.ts";
import type { StoredPart } from "../../src/store/packs/request-content.ts";
import { assertProperty, chance } from "../chance.ts";

const SMALL = { textMin: 1, stringMin: 48 };
const NEVER = { textMin: Number.POSITIVE_INFINITY };
const PATH = "/v1/chat/completions";

type Sizes = typeof SMALL | typeof NEVER;
type Side = "request" | "response";

function bodyOf(bytes: Buffer, sizes: Sizes, { contentType = "application/json", side = "request" as Side } = {}) {
  return readBody(bytes, { contentType, path: PATH, isResponse: side === "response", incomplete: false, sizes });
}

/** All that is recorded of a body, read around its long strings or not. */
function recorded(bytes: Buffer, sizes: Sizes, side: Side) {
  const body = bodyOf(bytes, sizes, { side });
  const { [side]: only, ...none } = { request: undefined, response: undefined, [side]: body };
  const sides = { ...none, [side]: only } as { request: typeof body | undefined; response: typeof body | undefined };
  const reading = readExchange(
    new RecordedExchange({
      ...sides,
      method: "POST",
      path: PATH,
      target: "https://api.openai.com",
      status: 200,
      requestHeaders: { pairs: [] },
      responseHeaders: { pairs: [] },
      provider: undefined,
      modelOverride: undefined,
      mappingOf: undefined,
    }),
  );
  const read = JSON.stringify([reading, body.json]);
  const { parts, assets } = bodyParts(sides, body.json, undefined);
  return {
    isLarge: body.unread !== undefined,
    read,
    text: body.text,
    form: body.form,
    events: body.events,
    parts,
    assets: assets.map(({ id, contentType, bytes }) => ({ id, contentType, bytes: bytes.toString("hex") })),
    // What plugins see.
    after: JSON.stringify(body.json),
  };
}

/** The body as it is shown, as a value, with references in the place of files. */
function shown({ bytes, files = [], form }: StoredPart): string {
  let text = "";
  let from = 0;
  for (const { offset, length, id } of files) {
    text += `${bytes.toString("utf8", from, offset)}weir-asset:${id}`;
    from = offset + length;
  }
  text += bytes.toString("utf8", from);
  return form === "json" ? JSON.stringify(JSON.parse(text)) : text;
}

/** @returns whether it was read around its long strings. */
function expectSame(bytes: Buffer, side: Side = "request"): boolean {
  const { parts, isLarge, ...large } = recorded(bytes, SMALL, side);
  const { parts: plainParts, isLarge: _, ...plain } = recorded(bytes, NEVER, side);
  expect(large).toEqual(plain);
  expect(parts.map(shown)).toEqual(plainParts.map(shown));
  for (const [at, part] of parts.entries()) {
    expect(Buffer.compare(part.sent ?? part.bytes, bytes)).toBe(0);
    // The place of a file whose text stands elsewhere too is known only to the one that read around it.
    if (plainParts[at]!.sent === undefined || part.sent !== undefined) expect(part).toEqual(plainParts[at]!);
  }
  return isLarge;
}

const random = chance("strings that are read around");
const FILE = random.bytes(48).toString("base64");
const OTHER = random.bytes(60).toString("base64");
const URL = `data:image/png;base64,${FILE}`;

test.each<[name: string, json: string, isLarge: boolean]>([
  ["a data: URL", `{"a":["${URL}"]}`, true],
  ["its parameters", `{"a":"data:image/png;name=x y.png;base64,${FILE}"}`, true],
  ["without a type, in capitals", `{"a":"DATA:;BASE64,${FILE}"}`, true],
  ["a member of a name for files", `{"file_data":"${FILE}"}`, true],
  ["a list of a name for files", `{"images":["${FILE}","${OTHER}",1,"${FILE}"]}`, true],
  ["data: URLs in such a list", `{"images":["${URL.replace("png", "jpeg")}","${FILE}"]}`, true],
  ["a member of another name", `{"text":"${FILE}","b":[{"c":"${OTHER}"}]}`, true],
  ["plain text by its type", `{"type":"text","media_type":"text/plain","data":"${FILE}"}`, true],
  [
    "a file twice, and once as no file",
    `{"data":"${FILE}","media_type":"a/b","c":{"bytes":"${FILE}"},"text":"${FILE}"}`,
    true,
  ],
  ["a file beside a short one", `{"bytes":"${FILE}","url":"data:a/b;base64,AAAA"}`, true],
  ["a file also with escaped slashes", `{"bytes":"${FILE}","b64_json":"${FILE.replaceAll(/\w$/g, "\\u0041")}"}`, true],
  ["white space around", ` \r\n\t{ "bytes" : "${FILE}" , "a" : 1 } \n`, true],
  ["after a quote that is escaped", `{"a":"\\"","bytes":"${FILE}"}`, true],
  ["after a backslash that is escaped", `{"a":"\\\\","bytes":"${FILE}","b":"\\\\"}`, true],
  ["not text of the alphabet", `{"a":"é \u{1f642} \\ud83d","bytes":"${FILE}"}`, true],
  ["for addresses", `{"bytes":"${FILE.replaceAll("+", "-").replaceAll("/", "_")}-_-_"}`, true],
  ["without its end", `{"bytes":"${OTHER.slice(0, 78)}"}`, true],
  ["bits that encode nothing", `{"bytes":"${FILE.slice(0, 60)}AB=="}`, true],
  ["numbers before it in a list", `{"a":[1,"${URL}"]}`, true],
  ["a member __proto__", `{"__proto__":"${URL}","a":{"__proto__":{"bytes":"${FILE}"}}}`, true],
  ["a name that is base64", `{"${FILE}":"${OTHER}"}`, false],
  ["two members of a name", `{"bytes":"${FILE}","bytes":"${OTHER}"}`, false],
  ["inside of a string, between escaped quotes", `{"a":"\\"${FILE}\\""}`, false],
  ["the end of a string with an escaped quote", `{"a":"\\"${FILE}"}`, false],
  ["escaped slashes", `{"a":"data:image\\/png;base64,${OTHER}"}`, false],
  ["an escaped letter", `{"a":"\\u0064ata:image/png;base64,${FILE}"}`, false],
  ["a text after it", `{"bytes":"${FILE} and more"}`, false],
  ["white space at its end", `{"bytes":"${FILE}\\n"}`, false],
  ["a character too many", `{"bytes":"${FILE}A"}`, false],
  ["an end in its middle", `{"bytes":"${FILE.slice(0, 30)}==${FILE}"}`, false],
  ["too short a text after data:", `{"a":"data:image/png;base64,${FILE.slice(0, 44)}"}`, false],
  ["a string alone", `"${URL}"`, false],
  ["no JSON after it", `{"bytes":"${FILE}"`, false],
  ["no JSON before it", `{"bytes":"a"${FILE}"}`, false],
  ["a line break in it", `{"bytes":"${FILE.slice(0, 32)}\n${FILE.slice(32)}"}`, false],
  ["no JSON at all", FILE, false],
  ["a number", `[${"1".repeat(200)}]`, false],
])("%s is read as it always was", (_name, json, isLarge) => {
  expect(expectSame(Buffer.from(json))).toBe(isLarge);
  expectSame(Buffer.from(json), "response");
});

test("other bytes than UTF-8, and streams, are read whole", () => {
  const json = `{"a":"é","bytes":"${FILE}"}`;
  const cases: [Buffer, string, Side][] = [
    [Buffer.from(json, "latin1"), "application/json", "request"],
    [Buffer.from(json, "latin1"), "application/json; charset=iso-8859-1", "request"],
    [Buffer.from(json), "application/json; charset=iso-8859-1", "request"],
    [Buffer.from(`\uFEFF${json}`), "application/json", "request"],
    [Buffer.from(json, "utf16le"), "application/json; charset=utf-16le", "request"],
    [Buffer.from(json), "application/pdf", "request"],
    [Buffer.from(json), "text/event-stream", "response"],
    [Buffer.from(json), "application/x-ndjson", "response"],
  ];
  for (const [bytes, contentType, side] of cases) {
    const [large, plain] = [SMALL, NEVER].map((sizes) => bodyOf(bytes, sizes, { contentType, side }));
    expect(large).toEqual(plain!);
    expect(large!.unread).toBeUndefined();
  }
  const declared = bodyOf(Buffer.from(json), SMALL, { contentType: "text/plain; charset=UTF-8" });
  expect(declared.unread).toBeDefined();
});

test("a reader that changes an unread string changes what is recorded", () => {
  for (const sizes of [SMALL, NEVER]) {
    const bytes = Buffer.from(`{"bytes":"${FILE}","b64_json":"${OTHER}","a":{"bytes":"${FILE}"},"text":"${OTHER}"}`);
    const body = bodyOf(bytes, sizes);
    body.json.bytes = OTHER;
    delete body.json.b64_json;
    body.json.b64_json = FILE;
    Object.assign(body.json.a, { bytes: "a", more: { ...body.json.a } });
    expect(body.json.a.more).toEqual({ bytes: FILE });
    const { parts, assets } = bodyParts({ request: body, response: undefined }, undefined, undefined);
    const [other, file] = [OTHER, FILE].map((text) => idOf(text));
    expect(assets.map(({ id }) => id).sort()).toEqual([other!, file!].sort());
    const [other64, file64] = [`weir-asset:${other}`, `weir-asset:${file}`];
    const a = { bytes: "a", more: { bytes: file64 } };
    expect(JSON.parse(parts[0]!.bytes.toString())).toEqual({ bytes: other64, b64_json: file64, a, text: OTHER });
    expect(parts[0]!.sent).toBe(bytes);
  }
});

test("a change of an object made from one with an unread string leaves that one as it is", () => {
  for (const sizes of [SMALL, NEVER]) {
    const { json } = bodyOf(Buffer.from(`{"a":{"bytes":"${FILE}"}}`), sizes);
    const heir = Object.create(json.a);
    const copy = Object.defineProperties({} as typeof heir, Object.getOwnPropertyDescriptors(json.a));
    for (const each of [heir, copy]) {
      each.bytes = OTHER;
      expect(each.bytes).toBe(OTHER);
      expect(json.a.bytes).toBe(FILE);
    }
  }
});

const idOf = (base64: string) => createHash("sha256").update(Buffer.from(base64, "base64")).digest("hex");

const base64 = fc.constantFrom(
  ...[24, 47, 70, 150].map((length) => random.bytes(length).toString("base64")),
  FILE.replaceAll("+", "-").replaceAll("/", "_"),
  FILE.replace(/.$/, "*"),
  `${FILE}A`,
  `${FILE} `,
  "AAAA".repeat(12),
  "/".repeat(64),
  "data".repeat(16),
  "AAAA",
  "",
);
const before = fc.constantFrom("", "", "data:image/png;base64,", "DATA:;a=b;BASE64,", "data:text/é;base64,", "data:,");
const text = fc.oneof(
  fc.tuple(before, base64).map(([start, end]) => start + end),
  fc.string({ unit: fc.constantFrom(...'aé\u{1f642}\\"/\n {}[]:,'), maxLength: 12 }),
);
const name = fc.constantFrom(
  ..."data file_data b64_json result partial_image_b64 bytes images url text type content __proto__".split(" "),
);
const more = fc.constantFrom(
  {},
  { type: "text" },
  { type: "image_generation_call", output_format: "webp" },
  { media_type: "image/png" },
  { format: "mp3", transcript: "t" },
);
const value = fc.letrec<{ any: unknown; object: object }>((tie) => ({
  any: fc.oneof(
    { weight: 4, arbitrary: text },
    tie("object"),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.constantFrom(0, 1.5e300, null, true),
  ),
  object: fc.tuple(more, fc.dictionary(name, tie("any"), { maxKeys: 4 })).map(([own, rest]) => ({ ...own, ...rest })),
})).object;

/** Ways to write the same value, and one that repeats a name. */
const written: ((json: string) => string)[] = [
  (json) => json,
  (json) => JSON.stringify(JSON.parse(json), null, 1),
  (json) => json.replaceAll("/", "\\/"),
  (json) => json.replaceAll("data", "d\\u0061ta"),
  (json) => json.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  (json) => json.replace('"text":', `"text":"${FILE}","text":`),
  (json) => json.slice(0, -3),
];

test("every body is recorded as if its strings were read, and byte for byte as it was sent", () => {
  let large = 0;
  const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.array(value, { maxLength: 3 }) });
  assertProperty(
    fc.property(
      fc.array(message, { maxLength: 3 }),
      fc.constantFrom(...written),
      fc.constantFrom<Side>("request", "response"),
      (messages, write, side) => {
        const json = write(JSON.stringify({ model: "gpt-4o", messages, choices: messages }));
        if (expectSame(Buffer.from(json), side)) large++;
      },
    ),
    { numRuns: 1_000 },
  );
  expect(large).toBeGreaterThan(0);
});
