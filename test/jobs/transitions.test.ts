import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { transitions } from "../../src/jobs/alerts/transitions.ts";
import type { Alert, Firing } from "../../src/store/alerts/alerts.ts";
import { assertProperty } from "../chance.ts";

const NOW = 1_000_000_000;

function alert(changes: Partial<Alert> = {}): Alert {
  return {
    id: "a",
    organization_id: "o",
    name: "n",
    metric: "requests",
    comparison: "above",
    threshold: 5,
    window_seconds: 60,
    calendar: null,
    time_zone: null,
    filter: "all",
    group_by: [],
    minimum_requests: 0,
    cooldown_seconds: 0,
    channels: [],
    enabled: true,
    created_at: 0,
    updated_at: 0,
    checked_at: null,
    error: null,
    ...changes,
  };
}

const firing = (group: Firing["group"] = {}, heldAgo = 0): Firing => ({
  alert_id: "a",
  group,
  event_id: "e",
  value: 6,
  triggered_at: NOW - 60_000,
  held_at: NOW - heldAgo,
});

const short = (changes: ReturnType<typeof transitions>) =>
  changes.map(({ to, group, value }) => [to, Object.values(group).join(), value]);

describe("a check says", () => {
  test.each([
    ["nothing below the threshold", alert(), [{ requests: 4 }], [], []],
    ["nothing at the threshold", alert(), [{ requests: 5 }], [], []],
    ["triggered above it", alert(), [{ requests: 6 }], [], [["triggered", "", 6]]],
    ["triggered below it", alert({ comparison: "below" }), [{ requests: 0 }], [], [["triggered", "", 0]]],
    ["nothing at it, watching for less", alert({ comparison: "below" }), [{ requests: 5 }], [], []],
    ["hold while it fires on", alert(), [{ requests: 7 }], [firing()], [["hold", "", 7]]],
    ["resolved once it is over", alert(), [{ requests: 5 }], [firing()], [["resolved", "", 5]]],
    ["nothing within the cool-down", alert({ cooldown_seconds: 10 }), [{ requests: 5 }], [firing({}, 9_999)], []],
    [
      "hold where the clock was set back, and the cool-down begins again",
      alert({ cooldown_seconds: 10 }),
      [{ requests: 5 }],
      [firing({}, -86_400_000)],
      [["hold", "", 5]],
    ],
    [
      "resolved after the cool-down",
      alert({ cooldown_seconds: 10 }),
      [{ requests: 5 }],
      [firing({}, 10_000)],
      [["resolved", "", 5]],
    ],
    [
      "nothing with too few requests",
      alert({ metric: "errors", minimum_requests: 9 }),
      [{ requests: 8, errors: 8 }],
      [],
      [],
    ],
    [
      "triggered with just enough requests",
      alert({ metric: "errors", minimum_requests: 8 }),
      [{ requests: 8, errors: 8 }],
      [],
      [["triggered", "", 8]],
    ],
    [
      "a rate as a share of the requests",
      alert({ metric: "cache_hit_rate", threshold: 0.2 }),
      [{ requests: 4, cache_hits: 1 }],
      [],
      [["triggered", "", 0.25]],
    ],
    [
      "an error rate without those that were refused",
      alert({ metric: "error_rate", threshold: 0.2, minimum_requests: 4 }),
      [{ requests: 9, errors: 1, refused: 5, error_rate: 0.25 }],
      [],
      [["triggered", "", 0.25]],
    ],
    [
      "nothing of an error rate where too few were not refused",
      alert({ metric: "error_rate", threshold: 0.2, minimum_requests: 5 }),
      [{ requests: 9, errors: 1, refused: 5, error_rate: 0.25 }],
      [],
      [],
    ],
    [
      "a refusal rate as a share of all",
      alert({ metric: "refusal_rate", threshold: 0.5, minimum_requests: 9 }),
      [{ requests: 9, errors: 1, refused: 6, error_rate: 1 / 3 }],
      [],
      [["triggered", "", 6 / 9]],
    ],
    [
      "nothing of a rate without requests",
      alert({ metric: "error_rate", comparison: "below", threshold: 0.5 }),
      [{ requests: 0, errors: 0, refused: 0, error_rate: null }],
      [],
      [],
    ],
    [
      "nothing of a cost that nobody knows",
      alert({ metric: "cost", comparison: "below" }),
      [{ requests: 4, cost: null }],
      [],
      [],
    ],
    [
      "each group by itself",
      alert({ group_by: ["model"] }),
      [
        { requests: 9, model: "a" },
        { requests: 2, model: "b" },
        { requests: 8, model: "c" },
        { requests: 7, model: null },
      ],
      [firing({ model: "b" }), firing({ model: "c" })],
      [
        ["triggered", "a", 9],
        ["resolved", "b", 2],
        ["hold", "c", 8],
        ["triggered", "", 7],
      ],
    ],
    [
      "resolved of a group that has no more requests",
      alert({ group_by: ["model"] }),
      [],
      [firing({ model: "b" })],
      [["resolved", "b", 0]],
    ],
    [
      "hold of a group without requests, watching for less",
      alert({ group_by: ["model"], comparison: "below" }),
      [],
      [firing({ model: "b" })],
      [["hold", "b", 0]],
    ],
    [
      "resolved of a group by what is grouped by no more",
      alert({ group_by: ["user"], cooldown_seconds: 100 }),
      [],
      [firing({ model: "b" })],
      [["resolved", "b", null]],
    ],
    [
      "resolved of all when it is switched off",
      alert({ enabled: false, cooldown_seconds: 100 }),
      [],
      [firing()],
      [["resolved", "", null]],
    ],
  ] as const)("%s", (_name, rule, rows, before, expected) => {
    expect(short(transitions(rule, rows, before, NOW))).toEqual(expected as unknown as ReturnType<typeof short>);
  });
});

test("over any course of values a group triggers and is resolved in turn, and never within the cool-down", () => {
  const rule = alert({ cooldown_seconds: 3, group_by: ["model"] });
  const course = fc.array(fc.dictionary(fc.constantFrom("a", "b"), fc.integer({ min: 4, max: 7 })), { maxLength: 40 });
  assertProperty(
    fc.property(course, (steps) => {
      let states: Firing[] = [];
      const overAt = new Map<unknown, number>();
      for (const [at, step] of steps.entries()) {
        const now = NOW + at * 1_000;
        for (const [model, requests] of Object.entries(step)) if (requests > 5) overAt.set(model, now);
        const rows = Object.entries(step).map(([model, requests]) => ({ model, requests }));
        for (const { to, group } of transitions(rule, rows, states, now)) {
          const known = states.find((each) => each.group["model"] === group["model"]);
          expect(known === undefined).toBe(to === "triggered");
          if (to === "resolved") expect(now - overAt.get(group["model"])!).toBeGreaterThanOrEqual(3_000);
          else expect(overAt.get(group["model"])).toBe(now);
          states = states.filter((each) => each !== known);
          if (to !== "resolved") states.push({ ...firing(group), held_at: now });
        }
      }
    }),
  );
});
