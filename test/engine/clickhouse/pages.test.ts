import { test } from "bun:test";
import { suiteOfPages } from "../suite/pages.ts";
import { suiteOfRecords } from "../suite/records.ts";
import { LARGE_CLICKHOUSE } from "./engine.ts";
import { isClickHouseMissing } from "./server.ts";

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else {
  suiteOfPages(LARGE_CLICKHOUSE, 6);
  suiteOfRecords(LARGE_CLICKHOUSE);
}
