import { setDefaultTimeout, test } from "bun:test";
import { suiteOfTrees } from "../suite/trees.ts";
import { CLICKHOUSE } from "./engine.ts";
import { isClickHouseMissing } from "./server.ts";

setDefaultTimeout(300_000);

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else suiteOfTrees(CLICKHOUSE);
