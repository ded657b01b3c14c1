import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { migrate } from "../src/store/migrate.ts";
import { ensureOrganization, FIRST_ORGANIZATION } from "../src/store/people/organization-names.ts";
import { openStore } from "../src/store/store.ts";
import { fillBodies, fillRecords } from "./seed-fill.ts";

/**
 * Fills the database of a data directory with plausible records of organization `default` over the last 30 days. The
 * service must not be running.
 *
 *     bun bench/seed.ts --records 200000 [--data-dir ./weir-data]
 *
 * The rows are made by SQL itself, from their number alone, so the same command makes the same records; bodies are stored
 * as the recorder stores them. The two files are filled by two processes at once, the records without a journal, and their
 * indexes are built at the end.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "100000" },
    "data-dir": { type: "string" },
    part: { type: "string", default: "all" },
    now: { type: "string", default: String(Date.now()) },
  },
});
const records = Number(values.records);
if (!Number.isInteger(records) || records < 1) throw new Error("--records takes a whole number above 0");
const dataDir = resolve(values["data-dir"] ?? process.env["WEIR_DATA_DIR"] ?? "./weir-data");
const start = Number(values.now) - 30 * 86_400_000;

if (values.part === "tables") await makeTables();
else if (values.part === "records") fillRecords({ records, dataDir, start, onProgress });
else if (values.part === "bodies") await fillBodies({ records, dataDir, start, onProgress });
else {
  const started = performance.now();
  await run("tables");
  await Promise.all([run("records"), run("bodies")]);
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${records} records in ${seconds.toFixed(1)} s, ${Math.round(records / seconds)} a second, in ${dataDir}`,
  );
}

/** A line on stderr with the seconds since this part began. */
function onProgress(done: string): void {
  console.error(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${done}`);
}

/** One part in a process of its own, which leaves no connection behind that would keep the file locked. */
async function run(part: string): Promise<void> {
  const options = ["--records", String(records), "--data-dir", dataDir, "--now", values.now, "--part", part];
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...options], { stdio: "inherit" });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`the part ${part} failed`);
}

async function makeTables(): Promise<void> {
  const store = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir }, "write");
  await migrate(store);
  await ensureOrganization(store.records, FIRST_ORGANIZATION);
  await store.close();
}
