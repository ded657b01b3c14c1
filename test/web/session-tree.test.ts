import { expect, test } from "bun:test";
import fc from "fast-check";
import { inTraces, type SpanPlace } from "../../src/web/pages/session/spans.ts";
import { type Step, sessionTotals, sessionTree, type TreeNode, visible } from "../../src/web/pages/session/tree.ts";
import { assertProperty } from "../chance.ts";

const step = (id: string, path: string | null, seconds: number, more: Partial<Step> = {}): Step => ({
  request_id: id,
  session_path: path,
  created_at: new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString(),
  latency: 500,
  cost: 0.5,
  total_tokens: 10,
  status: 200,
  outcome: "complete",
  ...more,
});

const outline = (nodes: readonly TreeNode<Step>[]): string[] =>
  visible(nodes, new Set()).map(({ name, depth }) => `${"  ".repeat(depth)}${name}`);

test("requests stand below the segments of their paths, in the order in which things began", () => {
  const tree = sessionTree([
    step("r1", "/plan", 0),
    step("r4", "/plan/search/web", 3),
    step("r3", "/answer", 2),
    step("r2", "/plan/search", 1),
    step("r5", null, 9),
  ]);
  expect(outline(tree)).toEqual(["plan", "  r1", "  search", "    r2", "    web", "      r4", "answer", "  r3", "r5"]);
});

test("a segment adds up what is below it, and knows when it began and ended", () => {
  const tree = sessionTree([
    step("r1", "/a", 0, { cost: null, status: 500, total_tokens: null }),
    step("r2", "/a/b", 10, { latency: 2_000, cost: 0.25 }),
  ]);
  expect(tree[0]!.totals).toEqual({
    requests: 2,
    errors: 1,
    cost: 0.25,
    tokens: 10,
    from: Date.UTC(2026, 0, 1),
    to: Date.UTC(2026, 0, 1) + 12_000,
  });
  expect(sessionTotals(tree)).toEqual(tree[0]!.totals);
  expect(sessionTotals([])).toBeUndefined();
});

test("an unknown cost stays unknown", () => {
  expect(sessionTree([step("r1", "/a", 0, { cost: null })])[0]!.totals.cost).toBeNull();
});

test("what is closed hides what is below it alone", () => {
  const tree = sessionTree([step("r1", "/a/b", 0), step("r2", "/c", 1)]);
  expect(visible(tree, new Set(["/a"])).map(({ name }) => name)).toEqual(["a", "c", "r2"]);
});

test("whatever paths there are, every request is in the tree once and the totals are the session's", () => {
  const paths = fc.option(fc.oneof(fc.constant("/".repeat(100)), fc.constant("/a".repeat(90)), fc.string()));
  assertProperty(
    fc.property(fc.array(paths, { minLength: 1, maxLength: 40 }), (all) => {
      const tree = sessionTree(all.map((path, at) => step(`id-${at}`, path, at)));
      const nodes = visible(tree, new Set());
      expect(nodes.filter(({ step }) => step !== undefined)).toHaveLength(all.length);
      expect(new Set(nodes.map(({ key }) => key)).size).toBe(nodes.length);
      expect(Math.max(...nodes.map(({ depth }) => depth))).toBeLessThanOrEqual(32);
      expect(sessionTotals(tree)).toMatchObject({ requests: all.length, cost: all.length / 2 });
    }),
  );
});

const place = (request_id: string, span_id: string | null, parent_span_id: string | null): SpanPlace => {
  return { request_id, trace_id: "t", span_id, parent_span_id, name: request_id, kind: "tool" };
};

test("steps stand within the step whose span is around theirs, whatever comes first", () => {
  const traced = inTraces([
    place("r3", "c", "b"),
    place("r2", "b", "a"),
    place("r1", "a", null),
    place("r4", null, "gone"),
  ]);
  const steps = ["r1", "r2", "r3", "r4"].map((id, at) => ({ ...step(id, null, at), within: traced.get(id)?.within }));
  const tree = sessionTree(steps);
  expect(visible(tree, new Set()).map(({ key, depth }) => [key, depth])).toEqual([
    ["r1", 0],
    ["r2", 1],
    ["r3", 2],
    ["r4", 0],
  ]);
  expect(tree[0]!.totals.requests).toBe(3);
});

test("spans that claim to be within each other are shown regardless", () => {
  const traced = inTraces([place("r1", "a", "b"), place("r2", "b", "a"), place("r3", "c", "c")]);
  expect(["r1", "r2", "r3"].map((id) => traced.get(id)?.within)).toEqual([undefined, undefined, undefined]);
});
