import { expect, test } from "bun:test";
import { histogramSamples, metricText } from "../../src/runtime/metric-text.ts";
import { Buckets, Counter, histogramText } from "../../src/runtime/metrics.ts";

const NAMED = { name: "weir_a", help: "What it is." };
const HEAD = "# HELP weir_a What it is.\n# TYPE weir_a counter\n";

test("a counter without labels is shown at 0, one with labels once it has counted", () => {
  const plain = new Counter(NAMED);
  expect(plain.text()).toBe(`${HEAD}weir_a 0\n`);
  plain.add();
  plain.add(2);
  expect(plain.text()).toBe(`${HEAD}weir_a 3\n`);
  const byReason = new Counter(NAMED, []);
  expect(byReason.text()).toBe(HEAD);
  byReason.add(1, { reason: "a" });
  byReason.add(4, { reason: "b" });
  byReason.add(1, { reason: "a" });
  expect(byReason.text()).toBe(`${HEAD}weir_a{reason="a"} 2\nweir_a{reason="b"} 4\n`);
});

test("a value is counted in the bucket of its upper bound and in all greater ones", () => {
  const buckets = new Buckets([1, 2]);
  for (const value of [0.5, 1, 1.5, 9]) buckets.observe(value);
  expect(histogramText("weir_a", "What it is.", buckets.counts()).split("\n").slice(2)).toEqual([
    'weir_a_bucket{le="1"} 2',
    'weir_a_bucket{le="2"} 3',
    'weir_a_bucket{le="+Inf"} 4',
    "weir_a_sum 12",
    "weir_a_count 4",
    "",
  ]);
});

test("a histogram by label repeats the label in each of its samples", () => {
  const samples = histogramSamples({ bounds: [1], counts: [1, 0], sum: 0.5 }, { route: "/a" });
  expect(
    metricText({ ...NAMED, type: "histogram" }, samples)
      .split("\n")
      .slice(2),
  ).toEqual([
    'weir_a_bucket{route="/a",le="1"} 1',
    'weir_a_bucket{route="/a",le="+Inf"} 1',
    'weir_a_sum{route="/a"} 0.5',
    'weir_a_count{route="/a"} 1',
    "",
  ]);
});
