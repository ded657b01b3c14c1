import { expect, test } from "bun:test";
import { isUnreadable } from "../../src/web/filter/address.ts";
import { readRequestSearch } from "../../src/web/pages/request/search.ts";
import { readRequestsSearch } from "../../src/web/pages/requests/search.ts";

test.each(["created_at.asc", "latency.desc", "is_cached.asc"])("the order %s of an address is kept", (sort) => {
  expect(readRequestsSearch({ sort })).toEqual({ sort });
});

test.each(["nothing.desc", "latency", "latency.up", "toString.asc", "", 1, {}])(
  "an address that asks for the order %p gets the usual one",
  (sort) => {
    expect(readRequestsSearch({ sort, live: true })).toEqual({ live: true });
  },
);

test.each([
  ["a tree", { request_response_rmt: {} }, false],
  ["a text that a chat program cut", "{broken", true],
  ["a number", 7, true],
  ["a list of yes and no", true, true],
])("a filter that is %s is kept: it is never the same as none", (_name, filter, broken) => {
  const read = readRequestsSearch({ filter });
  expect(read.filter).toEqual(broken ? String(filter) : filter);
  expect(isUnreadable(read.filter)).toBe(broken);
});

test.each([undefined, null, "all"])("a filter that is %p asks for everything", (filter) => {
  expect(readRequestsSearch({ filter })).toEqual({});
});

test.each([
  ["019a0000-0000-7000-8000-00000000ABCD", { open: "019a0000-0000-7000-8000-00000000abcd" }],
  ["../x", {}],
  ["", {}],
  [7, {}],
])("an address that opens %p in the panel means %p", (open, read) => {
  expect(readRequestsSearch({ open })).toEqual(read);
});

test.each([
  [
    { tab: "compare", with: "r2" },
    { tab: "compare", with: "r2" },
  ],
  [{ tab: "compare", with: 7 }, { tab: "compare" }],
  [{ tab: "cost", with: "r2" }, { tab: "cost" }],
  [{ with: "r2" }, {}],
  [{ tab: "conversation" }, {}],
])("the address %p of a request asks for %p", (search, read) => {
  expect(readRequestSearch(search)).toEqual(read as object);
});
