import { expect, test } from "bun:test";
import fc from "fast-check";
import { beginningOf, indexedText, isSpaced, wordsOf } from "../../../src/store/words/tokens.ts";
import { hasPhrases, matchText, readWordQuery } from "../../../src/store/words/word-query.ts";
import { assertProperty } from "../../chance.ts";

test.each([
  ["Hello, WORLD: get_weather()", ["hello", "world", "get", "weather"]],
  ["Crème brûlée, Ώρα, Ёлка", ["creme", "brulee", "ωρα", "елка"]],
  ["Straße ﬁn ①", ["straße", "fin", "1"]],
  ["北京大学 is in 北京", ["北京大学", "is", "in", "北京"]],
  ["東京タワーへgo", ["東京タワーへ", "go"]],
  ["한국어 문서", ["한국어", "문서"]],
  ["हिन्दी में", ["हिन्दी", "में"]],
  ["\u{1F44B} 👋 — …", []],
])("the words of %p", (text, words) => {
  expect(wordsOf(text)).toEqual(words.map((word) => word.normalize("NFC")));
});

test("the index holds each token once, pairs of a script without spaces, and the beginning of what is long", () => {
  expect(indexedText("a b a B")).toBe("a b");
  expect(indexedText("北京大")).toBe("北京 京大 大");
  expect(indexedText("x".repeat(1_000))).toBe("x".repeat(40));
});

test("the index holds the beginnings of the words of any text, of one script without spaces the pairs, each once", () => {
  const neighbors = (word: string) => [...word].map((letter, at, all) => letter + (all[at + 1] ?? ""));
  const letter = fc.constantFrom(..."abAB019éÜßﬁ北京大がตไ한_\"' .-", "\u0300", "\ud83d", "\u{1F642}");
  const anyText = fc.array(letter, { maxLength: 120 });
  assertProperty(
    fc.property(anyText, (letters) => {
      const text = letters.join("");
      const expected = wordsOf(text.toWellFormed()).flatMap((each) =>
        isSpaced(each) ? [beginningOf(each)] : neighbors(each),
      );
      const found = indexedText(text).split(" ");
      expect(found).toEqual(expected.length === 0 ? [""] : [...new Set(expected)]);
    }),
  );
});

test("a text of many words and one of a few after it are indexed whole", () => {
  const words = Array.from({ length: 30_000 }, (_, at) => `word${at}`);
  expect(indexedText(words.join(", "))).toBe(words.join(" "));
  expect(indexedText("a few words, word1")).toBe("a few words word1");
});

test("words of every length are indexed once each, whatever their case and the characters around them", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(2);
  const words = Array.from({ length: 45 }, (_, length) => [
    letters.slice(0, length + 1),
    letters.slice(-length - 1),
  ]).flat();
  const tokens = [...new Set(words.map((word) => word.slice(0, 40)))];
  expect(indexedText([...words, ...words.map((word) => word.toUpperCase())].join(" "))).toBe(tokens.join(" "));
});

test("each of many texts is indexed whole, whichever texts came before", () => {
  for (let text = 0; text < 1_500; text++) {
    const words = Array.from({ length: 300 }, (_, at) => `w${(text * 37 + at) % 500}`);
    expect(indexedText([...words, ...words].join(" "))).toBe(words.join(" "));
  }
});

test.each([
  ["Two WORDS two", "two words"],
  ["CAFÉ café 5\u212a 5k", "cafe 5k"],
  [`${"X".repeat(50)}\u00c9 x`, `${"x".repeat(40)} x`],
])("%p is indexed as %p", (text, tokens) => {
  expect(indexedText(text)).toBe(tokens);
});

test.each([
  ["two words", '"_6f" "two" "words"'],
  ["begin* Caf\u00e9", '"_6f" "begin" * "cafe"'],
  ["foo-bar*", '"_6f" "foo" "bar" *'],
  ['"a phrase" x', '"_6f" "a" "phrase" "x"'],
  ['"not closed', '"_6f" "not" "closed"'],
  ["京", '"_6f" "京" *'],
  ["北京大学", '"_6f" "北京" "京大" "大学"'],
  ['") or words : "x', '"_6f" "or" "words" "x"'],
])("%p is searched as %p", (text, match) => {
  expect(matchText(readWordQuery(text), "o")).toBe(match);
});

test.each(["", "  ", "…", '""', "*", "x ".repeat(65), "x".repeat(1_001)])("%p is refused", (text) => {
  expect(() => readWordQuery(text)).toThrow(expect.objectContaining({ code: "invalid_body", path: "search" }));
});

test.each([
  ['"quick brown"', "The Quick, brown fox", true],
  ['"brown quick"', "The quick brown fox", false],
  ['"quick bro"', "The quick brown fox", false],
  ["京大学", "北京大学生", true],
  ["北大学", "北大 and 大学", false],
  ['"go 北京"', "go 北京大学", true],
  ['"京 go"', "北京 go", true],
  ['"quick brown"', "the quick\nbrown fox", true],
  ['"quick brown"', "the quick\x1ebrown fox", false],
  ['"brown fox"', "the quick\x1ebrown fox", true],
])("whether %p is in %p: %p", (query, text, expected) => {
  expect(hasPhrases(text, readWordQuery(query))).toBe(expected);
});

test("whatever is searched for, a text that holds it has its tokens and its phrases", () => {
  const piece = fc.stringMatching(/^[a-zA-Z0-9éÜß北京大学がตไ한🙂_"' .-]{1,12}$/u);
  assertProperty(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (pieces, from, count) => {
      const words = pieces.join(" ").replaceAll('"', "").split(/\s+/);
      const part = words.slice(from % words.length, (from % words.length) + 1 + (count % 3)).join(" ");
      if (wordsOf(part).length === 0) return;
      const query = readWordQuery(`"${part}"`);
      const tokens = indexedText(words.join(" ")).split(" ");
      for (const { token, isBeginning } of query.terms) {
        expect(tokens.some((each) => (isBeginning ? each.startsWith(token) : each === token))).toBe(true);
      }
      expect(hasPhrases(words.join(" "), query)).toBe(true);
    }),
  );
});
