import { expect, test } from "bun:test";
import { GatewayError } from "../../src/errors.ts";
import { RecorderMetrics } from "../../src/recorder/metrics.ts";
import { Refusals } from "../../src/recorder/refusals.ts";
import { keptLog } from "../plugin-host/folder.ts";

test("only work that wrote bodies shows that the object store takes them again", () => {
  const { log, lines } = keptLog();
  const refusals = new Refusals(log, new RecorderMetrics());
  refusals.note(new GatewayError("bodies_unavailable", "it is away"));
  refusals.over(false);
  expect([refusals.bodies, lines.length]).toEqual(["it is away", 1]);
  refusals.over(true);
  expect(refusals.bodies).toBeNull();
  expect(lines.at(-1)).toContain("the object store takes bodies again");
});

test("any work shows that the database takes records again", () => {
  const { log, lines } = keptLog();
  const refusals = new Refusals(log, new RecorderMetrics());
  refusals.note(new Error("it is locked"));
  refusals.over(false);
  expect(refusals.database).toBeNull();
  expect(lines.at(-1)).toContain("the database takes records again");
});
