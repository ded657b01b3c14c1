import { expect, test } from "bun:test";
import { stateOf } from "../../src/web/pages/alerts/alert-text.ts";
import type { AlertRow } from "../../src/web/pages/alerts/shapes.ts";

const NOW = "2026-11-27T12:00:00.000Z";

test.each([
  ["firing", NOW, null, "firing"],
  ["disabled", null, null, "off"],
  ["ok", null, null, "not checked yet"],
  ["ok", NOW, null, "ok"],
  ["ok", NOW, "the query took too long", "cannot be checked"],
] as const)(
  "an alert that is %s, checked at %p, with the error %p, is shown as %s",
  (state, checked_at, error, text) => {
    expect(stateOf({ state, checked_at, error } as AlertRow).text).toBe(text);
  },
);
