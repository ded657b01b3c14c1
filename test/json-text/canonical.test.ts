import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson } from "../../src/json-text/canonical.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["members sorted", '{"b":1,"a":{"d":2,"c":3}}', '{"a":{"c":3,"d":2},"b":1}'],
  ["no white space", ' { "a" :\t[ 1 ,\r\n2 ] } ', '{"a":[1,2]}'],
  ["one spelling of text", '"\\u0041\\/\\n"', '"A/\\n"'],
  ["numbers as they are spelt", "[1.0,1,-0,1e2,12345678901234567890]", "[1.0,1,-0,1e2,12345678901234567890]"],
  ["every member of one name, in order", '{"a":2,"b":0,"a":1}', '{"a":2,"a":1,"b":0}'],
  ["names that objects treat in their own way", '{"__proto__":1,"2":0,"10":0}', '{"10":0,"2":0,"__proto__":1}'],
  ["backslashes before the end of text", '{"a":"\\\\","b":"\\""}', '{"a":"\\\\","b":"\\""}'],
  ["empty things", '{"a":{},"b":[],"c":""}', '{"a":{},"b":[],"c":""}'],
])("canonical JSON has %s", (_name, text, expected) => {
  expect(canonicalJson(text)?.text).toBe(expected);
});

test.each([
  ["a name at the top alone", ["t"], '{"a":{"t":1},"t":2}', '{"a":{"t":1}}'],
  ["a path", ["a.t"], '{"a":{"t":1,"u":1},"t":2}', '{"a":{"u":1},"t":2}'],
  ["a path through a list", ["m.id"], '{"m":[{"id":1,"x":1},{"id":2}]}', '{"m":[{"x":1},{}]}'],
  ["a name with a dot", ["a.b"], '{"a.b":1,"c":1}', '{"c":1}'],
  ["a name that is escaped in the body", ["é"], '{"\\u00e9":1}', "{}"],
])("ignored is %s", (_name, ignored, text, expected) => {
  expect(canonicalJson(text, ignored)?.text).toBe(expected);
});

test.each([
  "",
  "  ",
  "{",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  "[1,]",
  "01",
  "1 2",
  '"a',
  '"\n"',
  "nul",
  "{a:1}",
  "'a'",
  '"\\x"',
  "\ufeff{}",
  "[".repeat(600) + "]".repeat(600),
])("%j is no JSON to the cache", (text) => {
  expect(canonicalJson(text)).toBeUndefined();
});

test("the model is read where it stands at the top and is text", () => {
  expect(canonicalJson('{"model":"m-\\u0031","x":{"model":"no"}}', ["model"])?.model).toBe("m-1");
  expect(canonicalJson('{"model":1}')?.model).toBeUndefined();
});

test("two texts have one canonical form exactly when they mean the same", () => {
  const canonical = (value: unknown, space?: number) => canonicalJson(JSON.stringify(value, null, space))?.text;
  assertProperty(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.jsonValue(), (one, other) => {
      const text = canonical(one);
      expect(JSON.parse(text!)).toEqual(JSON.parse(JSON.stringify(one)));
      expect(canonical(shuffled(one), 3)).toBe(text);
      expect(canonicalJson(text!)?.text).toBe(text);
      expect(canonical(other) === text).toBe(
        Bun.deepEquals(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)), true),
      );
    }),
  );
});

/** The same with the members of every object the other way round. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(null);
  for (const [name, member] of Object.entries(value).reverse()) copy[name] = shuffled(member);
  return copy;
}
