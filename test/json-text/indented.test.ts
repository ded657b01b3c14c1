import { expect, test } from "bun:test";
import fc from "fast-check";
import { indented } from "../../src/json-text/indented.ts";
import { assertProperty } from "../chance.ts";

test("JSON is indented as programs do it", () => {
  assertProperty(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, spaces) => {
      expect(indented(JSON.stringify(value, undefined, spaces))).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});

test("numbers, escapes and members that stand twice stay as they were written", () => {
  expect(indented(String.raw`{"n":12345678901234567890, "x":1.0,"e":1E400,"t":"\u00e9{\"[","n":[ ]}`)).toBe(
    String.raw`{
  "n": 12345678901234567890,
  "x": 1.0,
  "e": 1E400,
  "t": "\u00e9{\"[",
  "n": []
}`,
  );
});
