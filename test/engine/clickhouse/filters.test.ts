import { test } from "bun:test";
import { suiteOfFilters } from "../suite/filters.ts";
import { CLICKHOUSE } from "./engine.ts";
import { isClickHouseMissing } from "./server.ts";

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else suiteOfFilters(CLICKHOUSE, { leaves: 100, trees: 30 });
