import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Policy, readPolicies } from "../../plugins/rate-limits/policy.ts";
import { whyBadPolicy } from "../../plugins/rate-limits/stored.ts";
import { assertProperty } from "../chance.ts";

const reading = (header: string) => {
  const policies = readPolicies(header);
  if (typeof policies === "string") return policies;
  return policies.map(({ quota, span, unit, segment }) => [quota, Number(span.id) / 1_000, unit, segment]);
};

describe("Gateway-RateLimit-Policy", () => {
  test.each<[string, (string | number | null)[][]]>([
    ["100;w=60", [[100, 60, "request", null]]],
    ["0;w=1", [[0, 1, "request", null]]],
    ["1;w=31536000", [[1, 31_536_000, "request", null]]],
    ["5;w=60;u=request", [[5, 60, "request", null]]],
    ["5;u=tokens;w=60", [[5, 60, "tokens", null]]],
    ["5;s=user;u=cents;w=60", [[5, 60, "cents", "user"]]],
    ["2.5;w=60;u=cents", [[2.5, 60, "cents", null]]],
    [
      " 7 ; w = 60 ; s = Team , 9;w=3600 ",
      [
        [7, 60, "request", "Team"],
        [9, 3_600, "request", null],
      ],
    ],
    ["1;w=1,1;w=1", [[1, 1, "request", null]]],
    ["1;w=1,1;w=1;u=request", [[1, 1, "request", null]]],
    ["3;w=60;s=x-y_z.0", [[3, 60, "request", "x-y_z.0"]]],
  ])("%s is read", (header, policies) => {
    expect(reading(header)).toEqual(policies);
  });

  test.each([
    ["", "a policy is empty"],
    ["100;w=60,", "a policy is empty"],
    [",", "a policy is empty"],
    ["100", "the window is missing"],
    ["w=60", "the quota must be a whole number"],
    [";w=60", "the quota must be a whole number"],
    ["abc;w=60", 'the quota must be a whole number of up to 15 digits, not "abc"'],
    ["-1;w=60", "the quota must be a whole number"],
    ["+1;w=60", "the quota must be a whole number"],
    ["1.5;w=60", "the quota must be a whole number"],
    ["1e3;w=60", "the quota must be a whole number"],
    ["9999999999999999;w=60", "the quota must be a whole number"],
    ["1.;w=60;u=cents", "the quota must be a whole number or a decimal one"],
    ["1;w=0", "the window must be from 1 to 31536000 seconds"],
    ["1;w=31536001", "the window must be from 1 to 31536000 seconds"],
    ["1;w=1.5", "the window must be from 1 to 31536000 seconds"],
    ["1;w=-1", "the window must be from 1"],
    ["1;w=1m", "the window must be from 1"],
    ["1;w=", 'the window "w" has no value'],
    ["1;w", 'the window "w" has no value'],
    ["1;w=60;", '"" is not a parameter'],
    ["1;w=60;;u=cents", '"" is not a parameter'],
    ["1;w=60;w=60", 'the window "w" is given twice'],
    ["1;w=60;u=cents;u=cents", 'the unit "u" is given twice'],
    ["1;w=60;u=requests", "the unit must be request, cents, tokens"],
    ["1;w=60;u=Cents", "the unit must be request, cents, tokens"],
    ["1;w=60;s=", 'the segment "s" has no value'],
    ["1;w=60;s=a b", 'the segment "a b" is not a property name'],
    ["1;w=60;s=über", "is not a property name"],
    ["1;w=60;x=1", '"x" is not a parameter; there are w, u and s'],
    ["1;w=60;constructor=1", '"constructor" is not a parameter'],
    ["1;W=60", '"W" is not a parameter'],
    ["1;w=60 2;w=60", "is given twice"],
    ["1;w=60,oops", 'in "oops" the quota'],
    [Array.from({ length: 21 }, (_each, at) => `${at};w=1`).join(","), "there are 21 policies; at most 20"],
  ])("%p is refused, and what is wrong is named", (header, why) => {
    expect(reading(header)).toContain(why);
  });

  test("a printed policy is read as the same policy, in any order of its parameters", () => {
    const policy = fc.record({
      quota: fc.integer({ min: 0, max: 1e12 }),
      w: fc.integer({ min: 1, max: 31_536_000 }),
      u: fc.option(fc.constantFrom("request", "cents", "tokens"), { nil: undefined }),
      s: fc.option(fc.constantFrom("user", "Team", "x-1"), { nil: undefined }),
      turn: fc.nat(5),
    });
    assertProperty(
      fc.property(policy, ({ quota, turn, ...given }) => {
        const parts = Object.entries(given).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`],
        );
        for (let at = 0; at < turn; at++) parts.push(parts.shift()!);
        const [read] = readPolicies([quota, ...parts].join(";")) as readonly Policy[];
        expect(read).toMatchObject({
          quota,
          span: { id: given.w * 1_000 },
          unit: given.u ?? "request",
          segment: given.s ?? null,
        });
        expect((readPolicies(read!.id) as readonly Policy[])[0]!.id).toBe(read!.id);
      }),
      { numRuns: 300 },
    );
  });

  test("no text at all makes the reading throw", () => {
    assertProperty(
      fc.property(fc.string({ unit: "binary" }), (text) => void readPolicies(text)),
      { numRuns: 500 },
    );
  });
});

const whole = { name: "n", quota: 1, window_seconds: 60, unit: "request", segment: null, key_id: null };

test.each([
  [{ ...whole }, undefined],
  [{ name: "n", quota: 0, window_seconds: 1 }, undefined],
  [{ ...whole, unit: "cents", quota: 0.5 }, undefined],
  [{ ...whole, segment: "Team", key_id: "k" }, undefined],
  [[], ""],
  ["text", ""],
  [{ ...whole, name: "" }, "name"],
  [{ ...whole, name: 5 }, "name"],
  [{ ...whole, quota: -1 }, "quota"],
  [{ ...whole, quota: 0.5 }, "quota"],
  [{ ...whole, quota: "5" }, "quota"],
  [{ ...whole, quota: 2e15 }, "quota"],
  [{ ...whole, window_seconds: 0 }, "window_seconds"],
  [{ ...whole, window_seconds: 31_536_001 }, "window_seconds"],
  [{ ...whole, window_seconds: 1.5 }, "window_seconds"],
  [{ ...whole, unit: "requests" }, "unit"],
  [{ ...whole, segment: "" }, "segment"],
  [{ ...whole, segment: "my team" }, "segment"],
  [{ ...whole, key_id: 5 }, "key_id"],
  [{ ...whole, windowSeconds: 5 }, "windowSeconds"],
])("a stored policy is kept, or the member that is wrong is named: %#", (body, path) => {
  expect(whyBadPolicy(body)?.path).toBe(path as string);
});
