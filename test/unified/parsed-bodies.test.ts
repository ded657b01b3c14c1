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
