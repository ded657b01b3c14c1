import { expect, test } from "bun:test";
import { LearntTables } from "../../../src/store/models/learnt.ts";

const priced = (model: string) => ({ provider: "custom", model, input: 1 });
const learnt = new LearntTables(["a", "a-*", "a-b-*", "a-b-*c", "*"].map(priced));

test.each([
  ["an exact name", "a", "a"],
  ["a beginning", "a-1", "a-*"],
  ["the longest of several", "a-b-1", "a-b-*"],
  ["a beginning that is all of it", "a-b-", "a-b-*"],
  ["a star in the middle, as a name", "a-b-*c", "a-b-*c"],
  ["a pattern itself, as a name", "a-*", "a-*"],
  ["anything", "z", "*"],
  ["an empty name", "", "*"],
])("the price in force is that of %s", (_name, model, found) => {
  expect(learnt.priceOf("o", "CUSTOM")([model])?.source).toBe(`configured price: CUSTOM ${found}`);
});

test("the first name that has a price decides", () => {
  const priceOf = new LearntTables([priced("b")]).priceOf("o", "CUSTOM");
  expect(priceOf(["a", "b"])?.source).toBe("configured price: CUSTOM b");
});

test("no provider has the prices of another", () => {
  expect(learnt.priceOf("o", "OPENAI")(["a"])).toBeUndefined();
});

test("a name that is too long for a model has no price", () => {
  expect(learnt.priceOf("o", "CUSTOM")(["m".repeat(513)])).toBeUndefined();
});
