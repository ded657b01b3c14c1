import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { readExchange } from "../src/mapping/read-exchange.ts";
import { pluginFolders } from "../src/plugin-host/files/load.ts";
import { loadRegistry } from "../src/plugin-host/providers/registry.ts";
import { createRecorder } from "../src/recorder/create-recorder.ts";
import { uuidv7 } from "../src/runtime/uuid.ts";
import { openSpool } from "../src/spool/writer.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { beginning, type Passed, WORKLOADS, type Workload } from "./storage-workloads.ts";

/**
 * What recorded traffic takes on the disk, for bytes of bodies that passed.
 *
 * `bun bench/storage.ts [names of workloads] [--records N]` records each workload twice over and prints what the second half added, so
 * that tables which begin with a page are not counted: bytes a record of every table and index, CPU time, and how long
 * it takes to read one record's bodies. Beside the sum stand the goal, and what it was before there were packs.
 */
const { values: options, positionals: names } = parseArgs({
  options: { records: { type: "string" } },
  allowPositionals: true,
});
const log = createLog({ level: "warn", format: "text" });
for (const workload of WORKLOADS) {
  if (names.length > 0 && !names.includes(workload.name)) continue;
  await measure(options.records === undefined ? workload : { ...workload, count: Number(options.records) * 2 });
}

async function measure(workload: Workload): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "weir-storage-"));
  const config: Config = { ...(Value.Default(CONFIG_SCHEMA, {}) as Config), data_dir: directory };
  const registry = await loadRegistry({ directories: pluginFolders("provider", config), log });
  const spool = openSpool({ directory: join(directory, "spool"), sync: "second", log });
  const recorder = createRecorder({ config, log, readExchange, provider: (name) => registry.providerByName(name) });
  await recorder.ready();
  const requests = workload.make(workload.count);
  const record = async (count: number) => {
    const recorded = { records: 0, wire: 0, cpuMs: 0, ids: [] as string[] };
    for (let done = 0; done < count; done += workload.together) {
      for (let at = 0; at < Math.min(workload.together, count - done); at++) {
        const { value } = requests.next();
        if (value === undefined) break;
        recorded.ids.push(pass(spool, value));
        recorded.records++;
        recorded.wire += value.request.length + value.response.length;
      }
      const cpu = process.cpuUsage();
      await recorder.barrier();
      const { user, system } = process.cpuUsage(cpu);
      recorded.cpuMs += (user + system) / 1_000;
    }
    return recorded;
  };
  await record(workload.count / 2);
  const store = await openStore(config, "change");
  const before = await sizes(store);
  const recorded = await record(workload.count / 2);
  const after = await sizes(store);
  await store.close();
  await recorder.stop();
  await spool.close();
  print(workload, recorded, before, after);
  await timeReading(config, recorded.ids);
  rmSync(directory, { recursive: true, force: true });
}

function pass(spool: ReturnType<typeof openSpool>, passed: Passed): string {
  const id = uuidv7();
  const time = Date.now();
  spool.begin(id, beginning(passed, time));
  spool.requestChunk(id, passed.request);
  spool.head(id, { time: time + 350, status: 200, headers: [...passed.responseHeaders] });
  spool.responseChunk(id, passed.response);
  const { length: requestBytes } = passed.request;
  const { length: responseBytes } = passed.response;
  const times = { time: time + 1_900, forwardedAt: time + 1, firstByteAt: time + 352 };
  spool.end(id, { ...times, outcome: "complete", requestBytes, responseBytes });
  spool.flush();
  return id;
}

/** Bytes of every table and index, and of pages that hold nothing, once the log is in the file. */
async function sizes(store: Store): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const file of ["records", "bodies"] as const) {
    await store[file].settle();
    const sql = `select name, sum(pgsize) as bytes from dbstat group by name union all select 'empty pages',
      freelist_count * page_size from pragma_freelist_count, pragma_page_size`;
    const rows = await store[file].query<{ name: string; bytes: number }>({ sql, args: [] });
    for (const { name, bytes } of rows) found.set(`${file} ${name}`, bytes);
  }
  return found;
}

interface Recorded {
  readonly records: number;
  readonly wire: number;
  readonly cpuMs: number;
}

function print(
  { name, goal, before: was }: Workload,
  recorded: Recorded,
  before: Map<string, number>,
  after: Map<string, number>,
): void {
  const { records, wire, cpuMs } = recorded;
  const grown = [...after].map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)] as const);
  const stored = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
  console.log(`\n${name}: ${records} records, ${Math.round(wire / records)} bytes of wire each`);
  for (const [table, bytes] of grown.filter(([, each]) => each !== 0).sort((a, b) => b[1] - a[1])) {
    console.log(`  ${table.padEnd(44)} ${(bytes / records).toFixed(0).padStart(8)}`);
  }
  console.log(`  ${"together".padEnd(44)} ${(stored / records).toFixed(0).padStart(8)}`);
  console.log(`  disk/wire ${(stored / wire).toFixed(3)}, goal ${goal}, before ${was.ratio}`);
  console.log(`  CPU ms a record ${(cpuMs / records).toFixed(3)}, before ${was.cpuMs}`);
}

/** Each of up to 200 records by itself, the last ones. */
async function timeReading(config: Config, ids: readonly string[]): Promise<void> {
  const store = await openStore(config, "read");
  const times: number[] = [];
  for (const id of ids.slice(-200)) {
    const started = performance.now();
    await store.content.get([id], ["request", "response", "headers"]);
    times.push(performance.now() - started);
  }
  await store.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(2);
  console.log(`  reading one record's bodies: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}
