import { afterEach, expect, test } from "bun:test";
import { hear, serviceNow } from "../../src/web/clock.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const headersAt = (time: number) => new Headers({ date: new Date(time).toUTCString() });
afterEach(() => hear(headersAt(NOW), NOW));

test.each([
  ["an hour ahead", NOW + 3_600_000, NOW + 3_600_000],
  ["a day behind", NOW - 86_400_000, NOW - 86_400_000],
  ["right but for the rounding of its header", NOW - 1_000, NOW],
])("the time is the service's where its clock is %s", (_name, there, time) => {
  hear(headersAt(there), NOW);
  expect(serviceNow(NOW)).toBe(time);
});

test("a response that does not say the time changes nothing", () => {
  hear(headersAt(NOW + 3_600_000), NOW);
  hear(new Headers(), NOW);
  expect(serviceNow(NOW)).toBe(NOW + 3_600_000);
});
