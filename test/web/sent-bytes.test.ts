import { expect, test } from "bun:test";
import { sentBytes } from "../../src/web/parts/sent-bytes.ts";

test.each([
  ["a record with a size", { size_bytes: 434, stored_bytes: 77, total_tokens: 157 }, 434],
  ["a record without bodies", { size_bytes: 0, stored_bytes: 0, total_tokens: null }, 0],
  ["an imported record with a body", { size_bytes: 0, stored_bytes: 77, total_tokens: null }, null],
  ["an imported record whose tokens alone are known", { size_bytes: 0, total_tokens: 157 }, null],
  ["a session of which nothing is known", { size_bytes: null, stored_bytes: null, total_tokens: null }, null],
])("what was sent of %s", (_name, sizes, bytes) => {
  expect(sentBytes(sizes)).toBe(bytes);
});
