import { expect, test } from "bun:test";
import fc from "fast-check";
import { nameOf, readablePath, segmentOf } from "../../src/web/path.ts";
import { assertProperty } from "../chance.ts";

test.each([
  [".", "~."],
  ["..", "~.."],
  ["~.", "~~."],
  ["~", "~"],
  ["...", "..."],
  ["a.b", "a.b"],
])("the name %s is spelled %s in an address", (name, segment) => {
  expect(segmentOf(name)).toBe(segment);
});

test("no name is folded away by an address, and every one comes out of it again", () => {
  const names = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[~.]{1,5}$/));
  assertProperty(
    fc.property(names, (name) => {
      const { pathname } = new URL(`http://weir.test/sessions/${encodeURIComponent(segmentOf(name))}`);
      expect(pathname).toStartWith("/sessions/");
      expect(nameOf(decodeURIComponent(pathname.slice("/sessions/".length)))).toBe(name);
    }),
  );
});

test.each([
  ["/requests/%E0%A4%A", "/requests/%25E0%25A4%25A"],
  ["/requests/100%", "/requests/100%25"],
  ["/sessions/%C3%BC%20%2F", "/sessions/%C3%BC%20%2F"],
])("the path %s is read as %s", (path, readable) => {
  expect(readablePath(path)).toBe(readable);
});
