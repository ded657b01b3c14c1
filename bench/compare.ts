/**
 * Weir with everything recorded, beside nginx's bare `proxy_pass` and the npm package `@portkey-ai/gateway` run with
 * Bun and with Node (it records nothing): same provider, same load, same run, one after the other in every round.
 *
 * Prints and keeps in `bench/results/compare.json`: latency added at one connection, requests per second at 32
 * connections, 1,000 and 4,000 streams, memory, rows in the database beside requests sent, bytes on disk a request.
 * Run: `bun bench/compare.ts [--seconds 8] [--rounds 3] [--streams 1000,4000]`; needs nginx, wrk, and npm for the package.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentMb } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { type Contender, contenders, type Running } from "./load/contenders.ts";
import { startProvider } from "./load/nginx.ts";
import { openStreams, startSseProvider } from "./load/streams.ts";
import { RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    streams: { type: "string", default: "1000,4000" },
  },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
const WARM_UP_SECONDS = 5;
const CONNECTIONS = 32;
/** A stream's events and the milliseconds between two of them: ten seconds, about as long as a response takes. */
const [EVENTS, EVERY_MS] = [10, 1_000];

const directory = mkdtempSync(join(tmpdir(), "weir-compare-"));
const results = { throughput: [] as object[], latency: [] as object[], streams: [] as object[] };

function keep(kind: keyof typeof results, result: object): void {
  results[kind].push(result);
  console.log(kind.padEnd(11), JSON.stringify(result));
}

/** Waits until every request that got a response is recorded. */
async function recordedAll(running: Running, responses: number): Promise<number | null> {
  if (running.recorded === undefined) return null;
  await until(
    () => running.recorded!() >= responses,
    120_000,
    () => `${running.recorded!()} of ${responses} recorded`,
    100,
  ).catch((error: unknown) => console.log(String(error)));
  return running.recorded();
}

async function throughput(contender: Contender, port: number): Promise<void> {
  const running = await contender.start(port);
  const lua = script(directory, contender.name, running.headers);
  const warm = await wrk(running.port, CONNECTIONS, lua, WARM_UP_SECONDS);
  await recordedAll(running, warm.responses);
  const measured = await wrk(running.port, CONNECTIONS, lua, seconds);
  const memoryMb = Math.round(residentMb(running.pid));
  const sent = warm.responses + measured.responses;
  const rows = await recordedAll(running, sent);
  const bytesOnDisk = running.bytesOnDisk?.() ?? null;
  await running.stop();
  keep("throughput", {
    name: contender.name,
    requests_per_second: Math.round(measured.requestsPerSecond),
    failed: measured.failed,
    p50_ms: measured.p50Ms,
    p99_ms: measured.p99Ms,
    memory_mb: memoryMb,
    sent,
    rows,
    bytes_on_disk_per_request: bytesOnDisk === null ? null : Math.round(bytesOnDisk / sent),
  });
}

async function latency(contender: Contender, port: number): Promise<void> {
  const running = await contender.start(port);
  const lua = script(directory, contender.name, running.headers);
  await wrk(running.port, 1, lua, 2);
  const idleMb = Math.round(residentMb(running.pid));
  const direct = await wrk(port, 1, script(directory, "direct", { Authorization: "Bearer sk-bench" }), 4);
  const through = await wrk(running.port, 1, lua, 4);
  await running.stop();
  keep("latency", {
    name: contender.name,
    direct_p50_ms: direct.p50Ms,
    through_p50_ms: through.p50Ms,
    added_p50_ms: Number((through.p50Ms - direct.p50Ms).toFixed(3)),
    direct_p99_ms: direct.p99Ms,
    through_p99_ms: through.p99Ms,
    memory_mb: idleMb,
  });
}

async function streams(contender: Contender, count: number): Promise<void> {
  const provider = await startSseProvider(EVENTS, EVERY_MS);
  const running = await contender.start(provider.port);
  const load = { streams: count, rampMs: count, events: EVENTS };
  const direct = await openStreams(provider.port, {}, load);
  const beforeMb = residentMb(running.pid);
  let mostMb = beforeMb;
  const watch = setInterval(() => (mostMb = Math.max(mostMb, residentMb(running.pid))), 100);
  const through = await openStreams(running.port, running.headers, load);
  clearInterval(watch);
  const rows = await recordedAll(running, count);
  await running.stop();
  await provider.stop();
  const first = (all: typeof direct, share: number) =>
    Number(
      quantile(
        all.map(({ firstMs }) => firstMs).filter((ms) => !Number.isNaN(ms)),
        share,
      ).toFixed(1),
    );
  keep("streams", {
    name: contender.name,
    streams: count,
    complete: through.filter(({ complete }) => complete).length,
    direct_first_token_p50_ms: first(direct, 0.5),
    first_token_p50_ms: first(through, 0.5),
    direct_first_token_p99_ms: first(direct, 0.99),
    first_token_p99_ms: first(through, 0.99),
    memory_mb: Math.round(mostMb),
    memory_kb_per_stream: Math.round(((mostMb - beforeMb) * 1024) / count),
    rows,
  });
}

const provider = await startProvider(directory, RESPONSE_BODY);
try {
  const all = await contenders(directory);
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of all) await throughput(contender, provider.port);
    for (const contender of all) await latency(contender, provider.port);
  }
  for (const count of values.streams.split(",").map(Number))
    for (const contender of all) await streams(contender, count);
  const median = (name: string) => {
    const own = (results.throughput as { name: string; requests_per_second: number }[]).filter(
      (one) => one.name === name,
    );
    return quantile(
      own.map((one) => one.requests_per_second),
      0.5,
    );
  };
  const nginx = median("nginx");
  const ratios = Object.fromEntries(all.map(({ name }) => [name, Number((median(name) / nginx).toFixed(3))]));
  console.log("requests per second, as a share of nginx's:", JSON.stringify(ratios));
  const machine = { cores: cpus().length, processor: cpus()[0]?.model ?? "", kernel: kernel() };
  const kept = { measured_at: new Date().toISOString(), machine, seconds, rounds, ratios, ...results };
  mkdirSync(join(import.meta.dirname, "results"), { recursive: true });
  writeFileSync(join(import.meta.dirname, "results/compare.json"), `${JSON.stringify(kept, null, 2)}\n`);
} finally {
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
}

function kernel(): string {
  return execFileSync("uname", ["-sr"], { encoding: "utf8" }).trim();
}
