/**
 * Every kind of traffic for an hour, at half of what the machine reaches, and what the service holds after each minute.
 *
 * Claims: every `gateway-id` that a client got has a record; memory after a forced collection, descriptors, threads and
 * files do not grow. A slope is reported with its 95 % confidence interval, and counts as growth where that of the second half
 * lies above 0 and the slope above the bound of its row in `GROWTH`: in the first half, bounded caches fill up. The gateway's
 * and the recorder's heaps are collected by a drop-in plugin; the other threads' collectors are set up as if the machine were
 * small, so that they do not starve.
 *
 * Run: `bun bench/soak.ts [--minutes 60] [--rate requests/s] [--seed N] [--out FILE]`. Without a rate the first minute
 * measures what eight clients reach, and half of that follows.
 * Ends with status 1 where a claim fails.
 */
import { randomInt } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startUpstream } from "../test/e2e/upstream.ts";
import { callApi, gatewayHeaders, KEY, queryIds, runCommand, startWeir } from "../test/e2e/weir.ts";
import { Failures } from "./load/failures.ts";
import { processMemory } from "./load/process-memory.ts";
import { slopeOf } from "./load/slope.ts";
import { soakTraffic } from "./load/soak-traffic.ts";
import type { TrafficKind } from "./load/traffic-kind.ts";
import { pause, quantile } from "./measured.ts";
import { seededNumbers } from "./seeded-numbers.ts";

const MINUTE_MS = 60_000;
const CLIENTS = 8;
/** Requests under way at once; what would be more is not sent, and counted. */
const UNDER_WAY_MAX = 200;
const COLLECT = `
  import { heapStats } from "bun:jsc";
  import { writeFileSync } from "node:fs";
  const later = (thread) => void setTimeout(() => {
    Bun.gc(true);
    const { heapSize, extraMemorySize, objectCount } = heapStats();
    const told = { mb: heapSize / 2 ** 20, extraMb: extraMemorySize / 2 ** 20, objects: objectCount };
    writeFileSync(process.env.HEAPS + "/" + thread, JSON.stringify(told));
  }, 0);
  export default {
    apiVersion: 1,
    name: "collect",
    setup: () => ({
      onRequest: ({ properties }) => (properties.Collect ? later("gateway") : undefined),
      onRecord: ({ properties }) => (properties.Collect ? later("recorder") : undefined),
    }),
  };`;
/** What a minute may add, in the unit of the sample. */
const GROWTH = { memoryMb: 0.2, descriptors: 0.2, threads: 0.05, files: 0.2 } as const;
type Sampled = keyof typeof GROWTH;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    out: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const next = seededNumbers(Number(values.seed));
const dataDirectory = mkdtempSync(join(tmpdir(), "weir-soak-"));
mkdirSync(join(dataDirectory, "plugins"), { mode: 0o700 });
writeFileSync(join(dataDirectory, "plugins", "collect.ts"), COLLECT);
await using upstream = await startUpstream();
const heapsDirectory = mkdtempSync(join(tmpdir(), "weir-soak-heaps-"));
const weir = await startWeir({
  dataDirectory,
  env: { BUN_JSC_forceRAMSize: String(512 * 1024 * 1024), HEAPS: heapsDirectory },
});
const traffic = await soakTraffic(weir, upstream, next);
const weights = traffic.kinds.reduce((sum, { weight }) => sum + weight, 0);

interface Minute extends Readonly<Record<Sampled, number>> {
  readonly minute: number;
  readonly requests: number;
  readonly skipped: number;
  readonly failed: number;
  readonly seen: number;
  readonly found: number;
  readonly lagBytes: number;
  /** Parts of `memoryMb`, and of the engine's the heaps with how many objects they hold: what grows is among them. */
  readonly nativeMb: number;
  readonly engineMb: number;
  readonly heaps: Readonly<Record<string, { readonly mb: number; readonly objects: number }>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the machine, over the last minute. */
  readonly load: number;
}

let [requests, skipped, underWay] = [0, 0, 0];
let ids: string[] = [];
let times: number[] = [];
const failures = new Failures();
const all: Minute[] = [];
const missing: string[] = [];

const keep = (line: object) => values.out && appendFileSync(values.out, `${JSON.stringify(line)}\n`);
if (values.out !== undefined) writeFileSync(values.out, "");
console.log(`seed ${values.seed}, service ${weir.pid} in ${dataDirectory}`);
try {
  const rate = values.rate === undefined ? (await reached()) / 2 : Number(values.rate);
  keep({ minutes, rate, seed: Number(values.seed), at: new Date().toISOString() });
  console.log(`${rate.toFixed(1)} requests a second for ${minutes} minutes`);
  console.log(
    "minute  requests  skipped  failed   seen  found  memory_mb  descriptors  threads  files  p50_ms  p99_ms  load",
  );
  for (let minute = 1; minute <= minutes; minute++) {
    await oneMinute(rate);
    show(await sample(minute));
  }
} finally {
  for (const line of worstOf(weir.log())) console.log(`log: ${line}`);
  traffic.close();
  await weir.stop();
  for (const directory of [dataDirectory, heapsDirectory]) rmSync(directory, { recursive: true, force: true });
}
process.exitCode = judge() ? 0 : 1;

function anyKind(): TrafficKind {
  let left = next() * weights;
  for (const kind of traffic.kinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  return traffic.kinds[0]!;
}

async function runOne(): Promise<void> {
  const kind = anyKind();
  const startedAt = performance.now();
  underWay += 1;
  requests += 1;
  try {
    const id = await kind.run();
    if (id !== undefined) ids.push(id);
    if (kind.name === "plain") times.push(performance.now() - startedAt);
  } catch (error) {
    failures.add(kind.name, error);
  } finally {
    underWay -= 1;
  }
}

/** Warnings and errors of the service's log, the last twenty. */
function worstOf(log: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .slice(-20);
}

/** Requests a second of clients that wait for each response, over a minute. */
async function reached(): Promise<number> {
  const until = performance.now() + MINUTE_MS;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < until) await runOne();
    }),
  );
  return requests / (MINUTE_MS / 1_000);
}

async function oneMinute(rate: number): Promise<void> {
  const startedAt = performance.now();
  for (let number = 0; number < rate * (MINUTE_MS / 1_000); number++) {
    const wait = startedAt + (number * 1_000) / rate - performance.now();
    if (wait > 0) await pause(wait);
    if (underWay < UNDER_WAY_MAX) void runOne();
    else skipped += 1;
  }
  const env = { ...weir.env, WEIR_API_URL: weir.api, WEIR_API_KEY: KEY };
  const from = new Date(Date.now() - MINUTE_MS).toISOString();
  try {
    const { status, stderr } = await runCommand(env, "export", "--quiet", "--start-date", from, "-o", "-");
    if (status !== 0) failures.add("export", stderr);
  } catch (error) {
    failures.add("export", error); // a machine with much else to do may take longer than the limit
  }
  while (underWay > 0) await pause(50);
  upstream.forget();
}

async function sample(minute: number): Promise<Minute> {
  const seen = ids;
  const found = new Set((await queryIds(weir, seen)).map(({ request_id }) => request_id));
  missing.push(...seen.filter((id) => !found.has(id)));
  await collect();
  const memory = processMemory(weir.pid);
  const taken: Minute = {
    minute,
    requests,
    skipped,
    failed: failures.count,
    seen: seen.length,
    found: seen.filter((id) => found.has(id)).length,
    memoryMb: memory.all,
    nativeMb: memory.native,
    engineMb: memory.engine,
    heaps: heaps(),
    descriptors: readdirSync(`/proc/${weir.pid}/fd`).length,
    threads: readdirSync(`/proc/${weir.pid}/task`).length,
    files: readdirSync(dataDirectory, { recursive: true }).filter((name) => !String(name).startsWith("cache")).length,
    lagBytes: await lagBytes(),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    load: loadavg()[0]!,
  };
  [requests, skipped, ids, times] = [0, 0, [], []];
  return taken;
}

/** Each thread's after the last collection. */
function heaps(): Minute["heaps"] {
  return Object.fromEntries(
    readdirSync(heapsDirectory).map((name) => [name, JSON.parse(readFileSync(join(heapsDirectory, name), "utf8"))]),
  );
}

/** Collects twice, a pause apart: what the first one frees may hold what the second one does. */
async function collect(): Promise<void> {
  for (let time = 0; time < 2; time++) {
    const headers = gatewayHeaders(upstream.origin, { "Gateway-Property-Collect": "yes" });
    const response = await fetch(`${weir.gateway}/echo`, { method: "POST", headers, body: "{}" });
    await response.arrayBuffer();
    await queryIds(weir, [response.headers.get("gateway-id")!]);
    await pause(1_000);
  }
}

async function lagBytes(): Promise<number> {
  const text = await (await callApi(weir, "/metrics")).text();
  return Number(/^weir_spool_lag_bytes (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

function show(taken: Minute): void {
  all.push(taken);
  // Kept with each minute: a soak that is cut off tells why requests failed too.
  keep({ ...taken, reasons: failures.takeNew() });
  const cells: [number | string, number][] = [
    [taken.minute, 6],
    [taken.requests, 8],
    [taken.skipped, 7],
    [taken.failed, 6],
    [taken.seen, 5],
    [taken.found, 5],
    [taken.memoryMb.toFixed(1), 9],
    [taken.descriptors, 11],
    [taken.threads, 7],
    [taken.files, 5],
    [taken.p50Ms.toFixed(1), 6],
    [taken.p99Ms.toFixed(1), 6],
    [taken.load.toFixed(0), 4],
  ];
  console.log(cells.map(([value, width]) => String(value).padStart(width)).join("  "));
}

/** @returns whether both claims hold. */
function judge(): boolean {
  const seen = all.reduce((sum, minute) => sum + minute.seen, 0);
  console.log(`ids seen ${seen}, without a record ${missing.length}`);
  for (const id of missing.slice(0, 20)) console.log(`  missing ${id}`);
  const reasons = failures.all();
  for (const [kind, counts] of Object.entries(reasons))
    for (const [reason, count] of Object.entries(counts)) console.log(`  ${count} times ${kind}: ${reason}`);
  let grows = false;
  const settled = all.slice(Math.ceil(all.length / 2));
  const slopes = (Object.keys(GROWTH) as Sampled[]).map((name) => {
    const { perStep, plusMinus } = slopeOf(settled.map((minute) => minute[name]));
    const early = slopeOf(all.slice(1, all.length - settled.length).map((minute) => minute[name]));
    const does = perStep - plusMinus > 0 && perStep > GROWTH[name];
    grows ||= does;
    console.log(
      `${name}: ${perStep.toFixed(3)} ± ${plusMinus.toFixed(3)} a minute in the second half${does ? ": it GROWS" : ""}; ${early.perStep.toFixed(3)} ± ${early.plusMinus.toFixed(3)} in the first`,
    );
    return [name, { perStep, plusMinus, grows: does, early }];
  });
  keep({ seen, missing, failures: reasons, slopes: Object.fromEntries(slopes) });
  return missing.length === 0 && !grows;
}
