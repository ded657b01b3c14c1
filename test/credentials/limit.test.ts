import { expect, test } from "bun:test";
import fc from "fast-check";
import { readPolicies } from "../../plugins/rate-limits/policy.ts";
import { readLimit } from "../../src/credentials/limit.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["600;w=60", [{ quota: 600, windowMs: 60_000, unit: "request" }]],
  [
    " 600 ; w = 60 , 5000.5;u=cents;w=86400",
    [
      { quota: 600, windowMs: 60_000, unit: "request" },
      { quota: 5_000.5, windowMs: 86_400_000, unit: "cents" },
    ],
  ],
  ["1000000;w=3600;u=tokens", [{ quota: 1_000_000, windowMs: 3_600_000, unit: "tokens" }]],
] as const)("%p is a limit", (text, policies) => {
  expect(readLimit(text)).toEqual([...policies]);
});

test.each([
  ["600;w=60;s=user", "no segment"],
  ["600", "window is missing"],
  ["", "empty"],
  ["1.5;w=60", "whole number"],
  ["1;w=60;w=61", "given twice"],
  ["1;w=0", "from 1 to"],
  ["1;w=60;u=euro", "unit must be"],
  ["1;q=60", "not a parameter"],
])("%p is none: %s", (text, says) => {
  expect(readLimit(text)).toContain(says);
});

const part = fc.constantFrom(
  ..."0159.;w=u, ",
  "requests",
  "request",
  "cents",
  "tokens",
  "w=60",
  ";u=",
  ";w=",
  "86400",
  "31536001",
);
const anyText = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(""));
const anyPolicy = fc
  .tuple(fc.nat(), fc.integer({ min: 0, max: 40_000_000 }), fc.constantFrom("", ";u=cents", ";u=tokens", ";u=x"))
  .map(([quota, seconds, unit]) => `${quota};w=${seconds}${unit}`);

test("every limit is a valid rate-limit policy, and every policy without a segment a valid limit", () => {
  assertProperty(
    fc.property(
      fc.oneof(
        anyText,
        fc.array(anyPolicy, { minLength: 1, maxLength: 3 }).map((all) => all.join(",")),
      ),
      (text) => {
        const limit = readLimit(text);
        const policies = readPolicies(text);
        expect(typeof limit).toBe(typeof policies);
        if (typeof limit === "string" || typeof policies === "string") return;
        const plain = limit.map(({ quota, windowMs, unit }) => `${quota} ${windowMs} ${unit}`);
        expect([...new Set(plain)].sort()).toEqual(
          [...new Set(policies.map(({ quota, span, unit }) => `${quota} ${span.id} ${unit}`))].sort(),
        );
      },
    ),
    { numRuns: 2_000 },
  );
});
