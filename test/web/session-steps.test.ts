import { expect, test } from "bun:test";
import { readSessionSearch } from "../../src/web/pages/session/search.ts";
import { meanScores, type RecordRow, stepLabel, stepOf, usersOf } from "../../src/web/pages/session/steps.ts";
import { inTime } from "../../src/web/pages/session/tree.ts";

const ROW: RecordRow = {
  ...{ request_id: "r", session_name: null, session_path: "/a/b", request_created_at: "2026-01-01T00:00:00.000Z" },
  ...{ delay_ms: 5, cost: null, total_tokens: null, response_status: 200, outcome: "complete", model: "m-1" },
  ...{
    provider: "OPENAI",
    cached: false,
    input: null,
    output: null,
    error_message: null,
    request_user_id: null,
    scores: {},
  },
  ...{ size_bytes: 0, stored_bytes: null },
};
const row = (some: Partial<RecordRow>): RecordRow => ({ ...ROW, ...some });

test.each([
  [{}, "m-1"],
  [{ model: null }, "OPENAI"],
  [{ input: "How high?" }, "How high?"],
  [{ input: "How high?", output: "Two metres.\nMore." }, "Two metres."],
  [{ output: "\n \nSecond line" }, "Second line"],
  [{ output: "→ level_of({})" }, "→ level_of({})"],
  [{ output: "Let me look.\n→ level_of({})\n→ rain({})" }, "→ level_of({}) → rain({})"],
  [{ output: "", input: "asked" }, "asked"],
  [{ input: "asked", error_message: "The context is too long." }, "The context is too long."],
  [{ output: "x".repeat(130) }, `${"x".repeat(120)}…`],
])("a step of %p is called %p", (some, label) => {
  expect(stepLabel(stepOf(row(some)))).toBe(label);
});

test("in time there are no paths, and the earliest comes first", () => {
  const steps = ["b", "a", "c"].map((request_id, at) =>
    stepOf(row({ request_id, request_created_at: new Date((10 - at) * 1_000).toISOString() })),
  );
  expect(inTime(steps).map(({ key, depth }) => [key, depth])).toEqual([
    ["c", 0],
    ["a", 0],
    ["b", 0],
  ]);
});

test("scores are means by name, of the requests that have them", () => {
  expect(meanScores([{ scores: { b: 1 } }, { scores: { b: 2, a: 5 } }, { scores: {} }])).toEqual([
    ["a", 5],
    ["b", 1.5],
  ]);
  expect(meanScores([1e308, 1e308, 1e308].map((huge) => ({ scores: { huge } })))).toEqual([["huge", 1e308]]);
});

test("each user is named once", () => {
  expect(usersOf([row({ request_user_id: "u" }), row({}), row({ request_user_id: "u" })])).toEqual(["u"]);
});

test.each([
  [{}, {}],
  [{ view: "tree" }, {}],
  [{ view: "time" }, { view: "time" }],
  [{ view: "conversation" }, { view: "conversation" }],
  [{ view: 5 }, {}],
  [
    { view: "time", open: "r1" },
    { view: "time", open: "r1" },
  ],
])("an address with %p asks for %p", (said, read) => {
  expect(readSessionSearch(said)).toEqual(read as never);
});
