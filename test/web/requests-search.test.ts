import { expect, test } from "bun:test";
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
