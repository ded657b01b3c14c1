import { setDefaultTimeout, test } from "bun:test";
import { suiteOfWalks } from "../suite/walks.ts";
import { CLICKHOUSE } from "./engine.ts";
import { isClickHouseMissing } from "./server.ts";

setDefaultTimeout(300_000);

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else suiteOfWalks(CLICKHOUSE);
