import { expect, test } from "bun:test";
import { Records } from "../../../src/engine/clickhouse/records.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";

const COLUMNS = "r.request_id as requestId, r.cost as k0";

test("for the first rows in an order each table is sorted by itself", () => {
  expect(limitsOf("all", true)).toBe(3);
  expect(limitsOf("all", false)).toBe(1);
  expect(limitsOf({ request_response_rmt: { status: { gte: 400 } } }, true)).toBe(3);
});

test("totals of sessions are joined once, so the tables are sorted together", () => {
  expect(limitsOf({ sessions_request_response_rmt: { session_total_cost: { gte: 1 } } }, true)).toBe(1);
});

/** How often a statement for the first five rows limits them. */
function limitsOf(filter: unknown, hasOpenRows: boolean): number {
  const scope = { organizationId: "org-1", tree: decodeFilter(filter, "legacy").tree };
  const records = new Records(scope, { tags: new Map(), comments: new Map() }, hasOpenRows);
  const sql = records.first({ columns: COLUMNS }, (id) => `order by k0, ${id} limit 5`);
  return sql.split("limit 5").length - 1;
}
