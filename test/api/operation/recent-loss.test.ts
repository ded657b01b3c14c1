import { expect, test } from "bun:test";
import { RecentLoss } from "../../../src/api/operation/recent-loss.ts";

const MINUTE = 60_000;

test("a loss is reported for an hour, and a further one for an hour from then on", () => {
  const loss = new RecentLoss();
  const reports = [
    [0, 0, false],
    [2, 1, true],
    [2, 60, true],
    [2, 61, false],
    [3, 90, true],
    [3, 149, true],
    [3, 150, false],
  ] as const;
  for (const [count, minutes, expected] of reports) {
    expect([minutes, loss.isRecent(count, minutes * MINUTE)]).toEqual([minutes, expected]);
  }
});
