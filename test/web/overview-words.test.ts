import { expect, test } from "bun:test";
import { changesInWords } from "../../src/web/pages/overview/changes.ts";
import { errorKinds, kindOf } from "../../src/web/pages/overview/error-kinds.ts";
import { metricsRow } from "./metrics-row.ts";

test.each([
  [{ requests: 100 }, { requests: 100 }, "Nothing changed by 5% or more."],
  [{ requests: 104 }, { requests: 100 }, "Nothing changed by 5% or more."],
  [{ requests: 1_204 }, { requests: 1_000 }, "Requests rose by 20.4%, from 1,000 to 1,204."],
  [{ requests: 9, cost: 1 }, { requests: 9, cost: 4 }, "Cost fell by 75%, from $4.00 to $1.00."],
  [{ cost: 1 }, { cost: null }, "Nothing changed by 5% or more."],
  [{ error_rate: 0.03 }, { error_rate: 0.01 }, "The error rate rose, from 1% to 3%."],
  [{ error_rate: 0.03 }, { error_rate: 0 }, "The error rate rose, from 0% to 3%."],
  [{ refused: 0 }, { refused: 3 }, "Refused requests fell, from 3 to 0."],
  [{ latency_p95: 1_500 }, { latency_p95: 1_000 }, "The p95 latency rose by 50%, from 1.00 s to 1.50 s."],
  [{ requests: 10 }, { requests: 1 }, "There was only 1 request before: too few to compare with."],
  [{ requests: 1 }, { requests: 0 }, "There were no requests before: too few to compare with."],
])("%p after %p is said: %p %s", (now, before, said) => {
  expect(changesInWords(metricsRow(0, now), metricsRow(0, before)).join(" ")).toBe(said);
});

test.each([
  ["refused", 429, "Refused by Weir"],
  ["complete", 429, "Rate limit"],
  ["complete", 401, "Credential"],
  ["complete", 400, "Bad request"],
  ["complete", 529, "Provider error"],
  ["upstream_timeout", 504, "No response"],
  ["client_gone", 499, "Client left"],
  ["failed", 500, "Weir failed"],
] as const)("outcome %s with status %d is of the kind %s", (outcome, status, kind) => {
  expect(kindOf(outcome, status)).toBe(kind);
});

test("rows of one kind and time are added up, and each kind keeps its colour", () => {
  const wrong = (time: number, outcome: string, status: number, requests: number) =>
    metricsRow(time, { outcome, status, requests });
  const rows = [
    wrong(0, "complete", 500, 2),
    wrong(0, "complete", 503, 3),
    wrong(60_000, "complete", 503, 1),
    wrong(60_000, "refused", 429, 7),
  ];
  expect(errorKinds([0, 60_000], rows)).toEqual({
    series: [
      { name: "Provider error", values: [5, 1] },
      { name: "Refused by Weir", values: [0, 7] },
    ],
    colours: [0, 7],
  });
  expect(errorKinds([0], [])).toEqual({ series: [], colours: [] });
});
