import { expect, test } from "bun:test";
import { inferMapping } from "../../src/mapping/infer/infer.ts";
import { isEncoded } from "../../src/mapping/infer/member-names.ts";

const picture = (seed: number) =>
  Buffer.from(Array.from({ length: 600 }, (_, at) => (at * seed * 31 + 7) % 256)).toString("base64");

test.each([
  ["base64", picture(3), true],
  ["a hash", "a".repeat(20) + "0".repeat(20), true],
  ["an address of data", "data:text/plain;base64,aGk=", true],
  ["words", "What is the weather like in Paris today? I would like to know.", false],
  ["one long word", "Donaudampfschifffahrtsgesellschaftskapitaenswitwe", false],
  ["a short response", "42", false],
  ["Chinese", "今天巴黎的天气怎么样".repeat(10), false],
])("%s: encoded or not", (_name, text, encoded) => {
  expect(isEncoded(text)).toBe(encoded);
});

test("the mapper does not take base64 for the response's words", () => {
  const samples = [3, 5, 7].map((seed) => ({
    requestBody: { engine: "m", question: `What is ${seed}?` },
    responseBody: { output: { result: picture(seed) } },
    events: undefined,
    status: 200,
  }));
  expect(inferMapping(samples, "m")).toMatchObject({ reason: expect.any(String) });
});

test("words next to base64 are found", () => {
  const samples = [3, 5, 7].map((seed) => ({
    requestBody: { engine: "m", question: `What is ${seed}?`, text: picture(seed) },
    responseBody: { result: picture(seed), said: `It is ${seed}, as far as I know.` },
    events: undefined,
    status: 200,
  }));
  expect(inferMapping(samples, "m")).toMatchObject({
    mapping: { request: { prompt: "/question" }, response: { text: "/said" } },
  });
});
