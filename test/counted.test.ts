import { expect, test } from "bun:test";
import { count } from "../src/api-client/progress.ts";
import { counted } from "../src/counted.ts";

test("a number is followed by its noun in the right form", () => {
  expect([0, 1, 2].map((number) => counted(number, "record"))).toEqual(["0 records", "1 record", "2 records"]);
  expect([counted(1, "entry", "entries"), counted(3, "entry", "entries")]).toEqual(["1 entry", "3 entries"]);
  expect([1, 1_000].map((number) => count(number, "record"))).toEqual(["1 record", "1,000 records"]);
});
