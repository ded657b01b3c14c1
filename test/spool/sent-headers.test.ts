import { expect, test } from "bun:test";
import fc from "fast-check";
import { headersBeside, headersFrom } from "../../src/spool/sent-headers.ts";
import { assertProperty } from "../chance.ts";

const names = fc.constantFrom("Host", "host", "Accept", "X-A");
const values = fc.constantFrom("a", "b", "***", "");
const lists = fc.array(fc.tuple(names, values), { maxLength: 8 }).map((pairs) => pairs.flat());

test("any list beside any other is the same list again, with what only it has shown as it may be", () => {
  const shown = (_name: string, value: string) => (value === "b" ? "***" : value);
  assertProperty(
    fc.property(lists, lists, (headers, others) => {
      const beside = headersBeside(headers, others, shown);
      const again = headersFrom(JSON.parse(JSON.stringify(beside)), others)!;
      expect(again.length).toBe(headers.length);
      for (let at = 0; at < headers.length; at += 2) {
        expect(again[at]).toBe(headers[at]!);
        const isShared = again[at + 1] === headers[at + 1];
        expect(isShared || again[at + 1] === shown(headers[at]!, headers[at + 1]!)).toBe(true);
      }
    }),
  );
});

test("pairs of the other list are references, in its order", () => {
  const client = ["Accept", "*/*", "User-Agent", "sdk", "X-A", "1"];
  const sent = ["Host", "provider", "Accept", "*/*", "X-A", "1", "Content-Length", "9"];
  const beside = headersBeside(sent, client, (_name, value) => value);
  expect(beside).toEqual(["Host", "provider", 0, 2, "Content-Length", "9"]);
});

test.each([[[3]], [[-1]], [[0.5]], [["Host"]], [["Host", 0]]])("%j is no list beside one pair", (beside) => {
  expect(headersFrom(beside, ["Host", "a"])).toBeUndefined();
});
