import { expect, test } from "bun:test";
import { readRetryAfter, retryAfterMs } from "../../src/egress/retry-after.ts";

test.each([
  ["3", 3000],
  [" 0 ", 0],
  ["1.5", 1500],
  ["Wed, 20 May 2026 10:00:05 GMT", 5000],
  ["Wed, 20 May 2026 09:00:00 GMT", 0],
  ["soon", undefined],
  ["-5", undefined],
  ["", undefined],
])("Retry-After %p is %p ms", (header, ms) => {
  expect(readRetryAfter(header, Date.parse("2026-05-20T10:00:00Z"))).toBe(ms as number);
});

test.each([
  [["Retry-After", "2"], 2000],
  [["retry-after", "2", "Retry-After-Ms", "1700.5"], 1700.5],
  [["retry-after-ms", "soon", "retry-after", "2"], 2000],
  [["retry-after", "2", "retry-after", "soon"], 2000],
  [["date", "2"], undefined],
])("of the headers %p the wait is %p ms", (headers, ms) => {
  expect(retryAfterMs(headers)).toBe(ms as number);
});
