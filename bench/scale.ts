import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { ClickHouse } from "../src/engine/clickhouse/client.ts";
import { copyDay } from "../src/engine/clickhouse/migrate/copy-day.ts";
import { daysOf } from "../src/engine/clickhouse/migrate/days.ts";
import { makeTables, SINGLE } from "../src/engine/clickhouse/tables.ts";
import { makeNextBlock } from "../src/engine/libsql/column-store/keep.ts";
import { engineReader } from "../src/engine/reader.ts";
import { migrate } from "../src/store/migrate.ts";
import { openStore } from "../src/store/store.ts";
import { startClickHouse } from "../test/engine/clickhouse/server.ts";
import { queriesOf, timed } from "./queries.ts";
import { seedClickHouse } from "./seed-clickhouse.ts";
import { seededIn } from "./seeded.ts";

/**
 * Puts the same seeded records into the embedded database and into ClickHouse, and asks both the same questions, one after
 * the other: rows a second and core, bytes a record, and milliseconds of each question.
 *
 *     bun bench/scale.ts [--records 20000] [--runs 10] [--data-dir DIR] [--url http://…:8123] [--only "part of a name"]
 *                        [--without "part of a name"] [--made] [--database NAME]
 *
 * Without `--url` it starts the server of the tests (`npm ci --prefix test/engine/clickhouse`, or `WEIR_TEST_CHDB`). With
 * `--data-dir` the records are those that `bench/seed.ts` has made there. Records are copied as `weir migrate records` copies
 * them, which takes hours for millions: with `--made` ClickHouse makes the same ones itself, and both are compared. With
 * `--database` they are there already, and stay.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "20000" },
    runs: { type: "string", default: "10" },
    "data-dir": { type: "string" },
    url: { type: "string" },
    only: { type: "string", default: "" },
    without: { type: "string" },
    made: { type: "boolean", default: false },
    database: { type: "string" },
  },
});
/** `bench/seed.ts` spreads records over so much time. */
const SEEDED_MS = 30 * 86_400_000;

const folder = mkdtempSync(join(tmpdir(), "weir-scale-"));
const dataDir = resolve(values["data-dir"] ?? folder);
if (values["data-dir"] === undefined) await run("seed.ts", "--records", values.records, "--data-dir", dataDir);
const server = values.url === undefined ? await startClickHouse() : undefined;
const url = values.url ?? server!.url;
const config = { ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir };
const apart = {
  ...config,
  records_engine: "clickhouse",
  records_url: url,
  records_database: values.database ?? "weir_bench",
} as const;
const client = new ClickHouse({ urls: [url], database: apart.records_database });

const writer = await openStore(config, "write");
await migrate(writer);
while ((await makeNextBlock(writer)) !== undefined);
await writer.close();
const reader = await openStore(config, "read");
const seeded = await seededIn(reader.records);
console.log(`${seeded.records} records; load ${loadavg()[0]!.toFixed(1)} at the beginning`);

if (values.database === undefined) await fill();
if (values.made || values.database !== undefined) await compare();
console.log(`ClickHouse: ${(await bytesARecord()).toFixed(1)} bytes a record, without texts and bodies`);

const engines = [engineReader(reader), engineReader(reader, apart)] as const;
const [embedded, clickhouse] = [await queriesOf(engines[0], seeded), await queriesOf(engines[1], seeded, engines[0])];
console.log(`${"milliseconds, p50 and p95".padEnd(48)} ${"embedded".padStart(19)} ${"ClickHouse".padStart(19)}`);
for (const [at, [name, ask]] of embedded.entries()) {
  if (!name.includes(values.only) || (values.without !== undefined && name.includes(values.without))) continue;
  const [one, other] = [await timed(ask, Number(values.runs)), await timed(clickhouse[at]![1], Number(values.runs))];
  const shown = [one, other].map(({ p50, p95 }) => `${p50.toFixed(1).padStart(9)} ${p95.toFixed(1).padStart(9)}`);
  const differ = one.rows === other.rows ? "" : `  rows differ: ${one.rows}, ${other.rows}`;
  console.log(`${name.padEnd(48)} ${shown.join(" ")}${differ}`);
}
console.log(`load ${loadavg()[0]!.toFixed(1)} at the end`);
await reader.close();
if (values.database === undefined)
  await client.command(`drop database ${apart.records_database} sync`, { isOutside: true });
await server?.[Symbol.asyncDispose]();
rmSync(folder, { recursive: true, force: true });

/** Puts the records into ClickHouse, and says how long it took. */
async function fill(): Promise<void> {
  await makeTables(client);
  const before = { cpu: await cpuSeconds(), at: performance.now() };
  const count = values.made ? await make() : await copy();
  const seconds = (performance.now() - before.at) / 1_000;
  const cpu = (await cpuSeconds()) - before.cpu;
  console.log(
    `ClickHouse took ${count} records in ${seconds.toFixed(1)} s, ${(count / cpu).toFixed(0)} for each second of its CPU`,
  );
}

async function copy(): Promise<number> {
  const options = { records: reader.records, client, keepsTexts: false, layout: SINGLE, ofProviders: async () => ({}) };
  let copied = 0;
  for (const day of await daysOf(reader.records)) copied += (await copyDay(options, day)).copied;
  return copied;
}

async function make(): Promise<number> {
  const { organizationId, records, newest } = seeded;
  const onProgress = (made: number) => console.error(`${made} records, load ${loadavg()[0]!.toFixed(1)}`);
  await seedClickHouse(client, { organizationId, records, start: newest - SEEDED_MS, onProgress });
  return records;
}

/** Stops where the two do not hold the same records. */
async function compare(): Promise<void> {
  const sums = `count(*) as n, sum(total_tokens) as tokens, sum(size_bytes) as bytes, count(user_id) as users,
    sum(feedback_id) as feedback, count(cost) as priced, sum(length(properties)) as properties`;
  const [one] = await reader.records.query<object>({ sql: `select ${sums} from requests`, args: [] });
  const json = sums.replace("length(properties)", "length(toJSONString(properties))");
  const [other] = await client.query<object>(`select ${json} from requests`);
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(`the records differ: ${JSON.stringify(one)}, ${JSON.stringify(other)}`);
  console.log(`both hold the same: ${JSON.stringify(one)}`);
}

/** Seconds of CPU that the server has spent on queries, inserts and merges. */
async function cpuSeconds(): Promise<number> {
  const sql = "select value / 1e6 as seconds from system.events where event = 'OSCPUVirtualTimeMicroseconds'";
  const [row] = await client.query<{ seconds: number }>(sql, { isOutside: true });
  return row?.seconds ?? 0;
}

async function bytesARecord(): Promise<number> {
  const [row] = await client.query<{ bytes: number }>(
    `select sum(bytes_on_disk) / sum(rows) as bytes from system.parts
      where active and database = currentDatabase() and table = 'requests'`,
  );
  return row?.bytes ?? 0;
}

async function run(program: string, ...words: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dir, program), ...words], { stdio: "inherit" });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`${program} failed`);
}
