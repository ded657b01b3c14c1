import { expect, test } from "bun:test";
import { metricText } from "../../src/runtime/metric-text.ts";

const gauge = { name: "weir_a", help: "What it is.", type: "gauge" } as const;

test.each([
  ["no value", [], ""],
  ["a value without labels", [{ value: 1.5 }], "weir_a 1.5\n"],
  ["labels", [{ labels: { one: "x", two: 2 }, value: 0 }], 'weir_a{one="x",two="2"} 0\n'],
  [
    "suffixes",
    [
      { suffix: "_sum", value: 3 },
      { suffix: "_count", value: 2 },
    ],
    "weir_a_sum 3\nweir_a_count 2\n",
  ],
  ["what would end a label", [{ labels: { one: 'a"b\\c\nd' }, value: 1 }], 'weir_a{one="a\\"b\\\\c\\nd"} 1\n'],
])("a metric with %s is a text that Prometheus reads", (_name, samples, lines) => {
  expect(metricText(gauge, samples)).toBe(`# HELP weir_a What it is.\n# TYPE weir_a gauge\n${lines}`);
});
