import { expect, test } from "bun:test";
import fc from "fast-check";
import { allows, captured, fits, isWithin } from "../../src/routing/pattern.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["gpt-5", "gpt-5", true],
  ["gpt-5", "gpt-5-mini", false],
  ["GPT-5", "gpt-5", false],
  ["claude-*", "claude-sonnet-5-5", true],
  ["claude-*", "claude-", true],
  ["openai/*", "openai/a/b", true],
  ["*", "", true],
  ["a*a", "a", false],
  ["*-a-*", "x-a-", true],
  ["*ab*ab", "xabab", true],
  ["*ab*ab", "xab", false],
])("%p fits %p: %p", (pattern, text, expected) => {
  expect(fits(pattern, text)).toBe(expected);
});

test("a pattern fits what the regular expression with the same meaning fits", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*") });
  const text = fc.string({ unit: fc.constantFrom("a", "b") });
  assertProperty(
    fc.property(letters, text, (pattern, sample) => {
      const meaning = new RegExp(`^${pattern.split("*").join("[^]*")}$`);
      expect(fits(pattern, sample)).toBe(meaning.test(sample));
    }),
  );
});

test.each([
  [[], "x", true],
  [["gpt-*"], "gpt-5", true],
  [["gpt-*"], "o5", false],
  [["!gpt-5"], "o5", true],
  [["!gpt-5"], "gpt-5", false],
  [["gpt-*", "!gpt-5"], "gpt-5", false],
  [["!gpt-5", "gpt-*"], "gpt-5", false],
])("the list %p allows %p: %p", (patterns, text, expected) => {
  expect(allows(patterns, text)).toBe(expected);
});

test("a list allows a model by any of its names, and excludes it by any", () => {
  expect(allows(["fast"], "fast", "groq/llama")).toBe(true);
  expect(allows(["*", "!groq/*"], "fast", "groq/llama")).toBe(false);
});

test("the text that a star stands for is found", () => {
  const plain = fc.string().map((text) => text.replaceAll("*", "+"));
  assertProperty(
    fc.property(plain, fc.string(), plain, (before, middle, after) => {
      expect(captured(`${before}*${after}`, before + middle + after)).toBe(middle);
    }),
  );
  expect(captured("plain", "plain")).toBeUndefined();
});

test.each([
  [null, null, true],
  [["openai/*"], null, true],
  [null, ["openai/*"], false],
  [["openai/gpt-5"], ["openai/*"], true],
  [["openai/gpt-*"], ["openai/*"], true],
  [["openai/*", "fast"], ["openai/*"], false],
  [["*"], ["openai/*"], false],
  [["gpt-5"], ["openai/*"], false],
  [["!openai/gpt-5-pro"], ["openai/*"], false],
  [["openai/*", "!openai/gpt-5-pro"], ["openai/*", "!openai/gpt-5-pro"], true],
  [["openai/*"], ["openai/*", "!openai/gpt-5-pro"], false],
  [["openai/*"], ["!openai/gpt-5-pro"], false],
  [["openai/*", "!openai/gpt-5-pro"], ["!openai/gpt-5-pro"], true],
  [[], ["team-*"], true],
  [["team-a"], [], false],
  [[], [], true],
])("the list %p is within %p: %p", (patterns, own, expected) => {
  expect(isWithin(patterns, own)).toBe(expected);
});

test("a list within another allows nothing that the other forbids", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 4 });
  const entry = fc.tuple(fc.constantFrom("", "!"), pattern).map(([sign, text]) => sign + text);
  const list = fc.array(entry, { minLength: 1, maxLength: 3 });
  // Two lists that have nothing to do with each other are hardly ever one within the other.
  const narrower = (own: readonly string[]) =>
    fc.tuple(...own.map((each) => pattern.map((text) => (each.startsWith("!") ? each : each.replace("*", text)))));
  const lists = list.chain((own) => fc.tuple(fc.oneof(narrower(own), list), fc.constant(own)));
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 5 });
  assertProperty(
    fc.property(lists, fc.array(text, { minLength: 1, maxLength: 2 }), ([patterns, own], texts) => {
      if (!isWithin(patterns, own) || !allows(patterns, ...texts)) return;
      expect(allows(own, ...texts)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
