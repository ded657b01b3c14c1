import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { makeNextBlock } from "../src/engine/libsql/column-store/keep.ts";
import { engineReader } from "../src/engine/reader.ts";
import { migrate } from "../src/store/migrate.ts";
import { openStore } from "../src/store/store.ts";
import { queriesOf, timed } from "./queries.ts";
import { seededIn } from "./seeded.ts";

/**
 * Times the queries of the query service on a seeded database (`bench/seed.ts`), records read whole but without bodies,
 * and without HTTP around them.
 *
 *     bun bench/query.ts [--data-dir ./weir-data] [--runs 20] [--only "part of a name"]
 */
const { values } = parseArgs({
  options: {
    "data-dir": { type: "string" },
    runs: { type: "string", default: "20" },
    only: { type: "string", default: "" },
  },
});
const dataDir = resolve(values["data-dir"] ?? process.env["WEIR_DATA_DIR"] ?? "./weir-data");
const runs = Number(values.runs);

const writer = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir }, "write");
await migrate(writer);
while ((await makeNextBlock(writer)) !== undefined);
await writer.close();
const reader = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir }, "read");
const seeded = await seededIn(reader.records);
console.log(`${seeded.records} records; ${runs} runs each, milliseconds`);

for (const [name, ask] of await queriesOf(engineReader(reader), seeded)) {
  if (!name.includes(values.only)) continue;
  const { p50, p95, rows } = await timed(ask, runs);
  console.log(`${name.padEnd(48)} p50 ${p50.toFixed(1).padStart(8)}  p95 ${p95.toFixed(1).padStart(8)}  (${rows})`);
}
await reader.close();
