import { expect, test } from "bun:test";
import type { RequestRow } from "../../src/web/pages/requests/columns.tsx";
import { withHead } from "../../src/web/pages/requests/head.ts";

const row = (id: number, status: number | null = 200) =>
  ({ request_id: String(id), response_status: status, updated_at: `${id}-${status}` }) as RequestRow;
const page = (...rows: RequestRow[]) => ({ data: rows, next_cursor: "c" });
const known = { pages: [page(row(5), row(4, null)), page(row(3), row(2))], pageParams: [null, "c"] };
const ids = (pages: ReturnType<typeof withHead>) => pages?.pages.map(({ data }) => data.map((each) => each.request_id));

test("what is new stands above what is known, which stays as it is", () => {
  const joined = withHead(known, page(row(7), row(6), row(5)));
  expect(ids(joined)).toEqual([
    ["7", "6", "5", "4"],
    ["3", "2"],
  ]);
  expect(joined?.pages[1]).toBe(known.pages[1]!);
  expect(joined?.pages[0]?.next_cursor).toBe("c");
});

test("a request that has ended since shows its end", () => {
  const joined = withHead(known, page(row(5), row(4, 200)));
  expect(joined?.pages[0]?.data[1]?.response_status).toBe(200);
});

test("nothing new is nothing to draw", () => {
  expect(withHead(known, page(row(5), row(4, null)))).toBe(known);
});

test("rows that do not reach down to what is known say that all must be requested again", () => {
  expect(withHead(known, page(row(9), row(8)))).toBeUndefined();
  expect(withHead({ pages: [page()], pageParams: [null] }, page(row(1)))).toBeUndefined();
});

test("a list that has been live for hours is requested again, from its head", () => {
  const many = Array.from({ length: 5_000 }, (_, at) => row(5_000 - at));
  const shown = { pages: [page(...many)], pageParams: [null] };
  expect(withHead(shown, page(row(5_001), row(5_000)))).toBeUndefined();
  expect(withHead(shown, page(row(5_000), row(4_999)))).toBe(shown);
});
