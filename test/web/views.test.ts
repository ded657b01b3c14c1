import { expect, test } from "bun:test";
import { DEFAULT_CHOICES } from "../../src/web/pages/requests/column-choice.ts";
import { isChanged, searchOfView, termsOf, type View } from "../../src/web/pages/requests/views/views.ts";

const id = "019a0000-0000-7000-8000-00000000abcd";
const LEAST: View = {
  ...{ id, name: "v", shared: false, owner: "ada", own: true, created_at: "", updated_at: "" },
  ...{ filter: null, search: null, sort: null, range: null, from: null, to: null, columns: null },
};
const filter = { request_response_rmt: { status: { gte: 400 } } };
const from = "2026-11-01T00:00:00.000Z";

test.each([
  ["nothing", {}, {}],
  ["a filter", { filter }, { filter }],
  ["words", { search: "late train" }, { q: "late train" }],
  ["an order", { sort: { cost: "asc" } }, { sort: "cost.asc" }],
  ["an order that the list does not have", { sort: { nothing: "asc" } }, {}],
  ["a span", { range: "24h" }, { range: "24h" }],
  ["moments", { from }, { from }],
] as const)("a view of %s is an address of the list, and the address is that view", (_what, terms, search) => {
  const view = { ...LEAST, ...terms } as View;
  expect(searchOfView(view)).toEqual({ ...search, view: id });
  expect(isChanged(view, { ...search, view: id, open: id, live: true }, DEFAULT_CHOICES)).toBe(false);
});

test("a view is changed where the list has another filter, order, time or column", () => {
  const columns = DEFAULT_CHOICES.slice(0, 3);
  const view = { ...LEAST, ...termsOf({ filter, range: "7d" }, columns) } as View;
  const same = searchOfView(view);
  expect(isChanged(view, same, columns)).toBe(false);
  for (const part of [{ filter: undefined }, { sort: "cost.asc" }, { range: "24h" }, { q: "x" }] as const)
    expect(isChanged(view, { ...same, ...part }, columns)).toBe(true);
  expect(isChanged(view, same, columns.slice(1))).toBe(true);
  expect(isChanged(view, same, [{ id: "time", width: 99 }, ...columns.slice(1)])).toBe(true);
});
