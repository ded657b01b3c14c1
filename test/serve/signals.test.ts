import { expect, test } from "bun:test";
import { sameSignalMs } from "../../src/serve/signals.ts";

test("a signal that a script runner passes on late is not the second one, which ends the process at once", () => {
  expect(sameSignalMs({ npm_lifecycle_event: "start" })).toBeGreaterThan(sameSignalMs({}) * 10);
});
