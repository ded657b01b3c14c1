import { expect, test } from "bun:test";
import fc from "fast-check";
import { extractAssets, mayHoldAssets, nameOfText } from "../../src/bodies/assets.ts";
import { filePlaces } from "../../src/bodies/file-places.ts";
import { assertProperty, chance } from "../chance.ts";

const PREFIX = "data:image/png;base64,";
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}\s*$/;

test.each([
  ["AAAA", true],
  ["AA==", true],
  ["AAA=", true],
  ["AAAAA", true],
  ["A-_A", true],
  ["AAAA \n", true],
  ["", false],
  ["==", false],
  ["AA=A", false],
  ["AAAA====", false],
  ["AAA*", false],
  ["AA AA", false],
  ["AAA\u0141", false],
])("whether %p is a file: %p", (base64, isFile) => {
  expect(BASE64.test(base64)).toBe(isFile);
  expect(extractAssets({ url: PREFIX + base64 })).toHaveLength(isFile ? 1 : 0);
});

test("exactly the texts that are base64 are files", () => {
  const text = fc.string({ unit: fc.constantFrom(..."ABab01+/-_AAAAAA== \n*.\u0141é"), maxLength: 24 });
  assertProperty(
    fc.property(text, (base64) => {
      expect(extractAssets({ url: PREFIX + base64 })).toHaveLength(BASE64.test(base64) ? 1 : 0);
    }),
  );
});

test("files are found where they stand, however long they are and however they begin", () => {
  const random = chance("files in a body");
  const lengths = [1, 30, 250, 256, 300, 24_000, 100_000, 300_000];
  // The last two differ in their last byte alone.
  const last = random.bytes(100_000);
  const files = [...lengths.map((length) => random.bytes(length)), last, Buffer.from([...last.subarray(0, -1), 1])];
  const written = files.map((file) => PREFIX + file.toString("base64"));
  const body = { text: "é\u{1F642}", list: [...written, written[3]], again: { url: written[6] } };
  const bytes = Buffer.from(JSON.stringify(body));
  const found = filePlaces(bytes, extractAssets(body), body);
  const texts = found?.map(({ offset, length }) => bytes.toString("utf8", offset, offset + length));
  expect(texts).toEqual([...written, written[3]!, written[6]!]);
});

test("the quick look passes over no body that holds a file, however its names are written", () => {
  const name = fc.constantFrom(
    "data",
    "file_data",
    "b64_json",
    "result",
    "partial_image_b64",
    "bytes",
    "images",
    "url",
    "x",
  );
  const base64 = "QUJD".repeat(20);
  const text = fc.constantFrom(base64, PREFIX + base64, `DATA:;BASE64,${base64}`, "text", "");
  const more = fc.dictionary(
    fc.constantFrom("type", "format", "media_type"),
    fc.constantFrom("image_generation_call", "png", "text"),
  );
  const part = fc
    .tuple(name, text, more, fc.boolean())
    .map(([key, value, rest, isList]) => ({ ...rest, [key]: isList ? [value] : value }));
  const escaped = (json: string) =>
    json.replace(/[a-z]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  assertProperty(
    fc.property(fc.array(part, { maxLength: 3 }), fc.boolean(), (parts, isEscaped) => {
      const json = JSON.stringify({ parts });
      const bytes = Buffer.from(isEscaped ? escaped(json) : json);
      if (extractAssets(JSON.parse(bytes.toString())).length > 0) expect(mayHoldAssets(bytes.toString())).toBe(true);
    }),
  );
  expect(mayHoldAssets('{"model":"m","messages":[{"role":"user","content":"data, bytes: [1]"}]}')).toBe(false);
});

test("a file whose text is encoded in another way is not found", () => {
  const body = { url: `${PREFIX}AAAA` };
  const bytes = Buffer.from(JSON.stringify(body).replace("png", "p\\u006eg"));
  expect(filePlaces(bytes, extractAssets(body), body)).toBeUndefined();
});

test("exactly the texts that their files determine have a name", () => {
  const text = fc.string({ unit: fc.constantFrom(..."ABab01+/-_AAAAAA== \n*."), maxLength: 14 });
  const file = fc.array(fc.constantFrom(0xfb, 0xef, 0xbe, 0xff, 0, 65), { minLength: 1, maxLength: 9 });
  const canonical = file.map((bytes) => Buffer.from(bytes).toString("base64"));
  const forAddresses = canonical.map((base64) => base64.replaceAll("+", "-").replaceAll("/", "_"));
  const others = fc.constantFrom("AAAAA", "AB==", "AAA", "AAAA \n");
  assertProperty(
    fc.property(
      fc.oneof(text, canonical, forAddresses, others),
      fc.constantFrom("", PREFIX, "data:;a=b;BASE64,"),
      (base64, before) => {
        const body = before === "" ? { b64_json: base64 } : { url: before + base64 };
        for (const asset of extractAssets(body)) {
          const isSame = base64 === asset.bytes.toString("base64");
          expect(nameOfText(before + base64, asset)).toBe(isSame ? before + asset.id : undefined);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a name is given to places that hold the text as it is, not to escaped ones", () => {
  const base64 = Buffer.from("???>>>").toString("base64");
  const namesIn = (json: string) => {
    const body = JSON.parse(json);
    return filePlaces(Buffer.from(json), extractAssets(body), body)?.map(({ name }) => name !== undefined);
  };
  expect(base64).toContain("/");
  expect(namesIn(JSON.stringify({ url: PREFIX + base64 }))).toEqual([true]);
  expect(namesIn(JSON.stringify({ url: PREFIX + base64 }).replaceAll("/", "\\/"))).toEqual([false]);
});
