import { expect, test } from "bun:test";
import fc from "fast-check";
import { NameSet } from "../../src/gateway/headers/name-set.ts";
import { assertProperty } from "../chance.ts";

const NAMES = ["set-cookie", "openai-organization", "api-key"];
const set = new NameSet(NAMES);

test.each(["set-cookie", "Set-Cookie", "OPENAI-ORGANIZATION", "Api-Key"])("%s is in it, in any case", (name) => {
  expect(set.has(name)).toBe(true);
});

test.each([
  ["a name of another length", "cookie"],
  ["a name of the same length", "set-bakery"],
  ["no name", ""],
  ["a name whose length has the same bits", `set-cookie${"x".repeat(32)}`],
])("%s is not in it", (_what, name) => {
  expect(set.has(name)).toBe(false);
});

test("it holds what a set of lower-case names holds", () => {
  const plain = new Set(NAMES);
  const anyName = fc.oneof(fc.string(), fc.constantFrom(...NAMES), fc.string({ minLength: 30, maxLength: 80 }));
  assertProperty(fc.property(anyName, (name) => expect(set.has(name)).toBe(plain.has(name.toLowerCase()))));
});
