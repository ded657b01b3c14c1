import { expect, test } from "bun:test";
import { keepParsed, NumberedBodies, parsedOf, takeParsed } from "../../src/unified/parsed-bodies.ts";

test("a kept body is parsed once, and only as often as it is taken", () => {
  const bytes = Buffer.from('{"model":"m"}');
  const body = { model: "kept" };
  keepParsed(bytes, body);
  expect(parsedOf(bytes)).toBe(body);
  expect(takeParsed(bytes)).toBe(body);
  expect(takeParsed(bytes)).toEqual({ model: "m" });
});

test("bodies are kept by number until they are taken, the oldest not beyond 16 MB", () => {
  const MB = 1_024 * 1_024;
  const numbered = new NumberedBodies();
  for (const number of [1, 2, 3]) numbered.keep(number, { number }, 8 * MB);
  expect([1, 2, 2, 3].map((number) => numbered.take(number))).toEqual([
    undefined,
    { number: 2 },
    undefined,
    { number: 3 },
  ]);
  numbered.keep(4, { number: 4 }, 17 * MB);
  numbered.keep(5, { number: 5 }, 16 * MB);
  expect([4, 5].map((number) => numbered.take(number))).toEqual([undefined, { number: 5 }]);
});

test("a body that is never written is forgotten after a while", () => {
  const numbered = new NumberedBodies();
  const before = performance.now();
  numbered.keep(1, { prompt: "left" }, 100);
  numbered.forgetOld(before + 9_000);
  expect(numbered.take(1)).toEqual({ prompt: "left" });
  numbered.keep(2, { prompt: "left" }, 100);
  numbered.forgetOld(performance.now() + 10_000);
  expect(numbered.take(2)).toBeUndefined();
});

test("a body kept twice counts once", () => {
  const numbered = new NumberedBodies();
  for (let again = 0; again < 40; again++) numbered.keep(1, { prompt: "again" }, 1_000_000);
  numbered.keep(2, { prompt: "other" }, 1_000_000);
  expect(numbered.take(1)).toEqual({ prompt: "again" });
});
