import { expect, test } from "bun:test";
import { type Entry, matching } from "../../src/web/palette/entries.ts";

const entry = (label: string, group = "Page", words = ""): Entry => ({
  ...{ id: label, label, group, words, icon: "list", run: () => {} },
});
const ALL = [entry("Overview"), entry("Requests"), entry("Late requests", "View"), entry("Log out", "Action", "sign")];

test.each([
  ["", ["Overview", "Requests", "Late requests", "Log out"]],
  ["req", ["Requests", "Late requests"]],
  ["LATE", ["Late requests"]],
  ["view", ["Overview", "Late requests"]],
  ["requests late", ["Late requests"]],
  ["sign out", ["Log out"]],
  ["nothing", []],
])("%p finds what has all its words, what begins with it first", (text, labels) => {
  expect(matching(ALL, text).map(({ label }) => label)).toEqual(labels);
});
