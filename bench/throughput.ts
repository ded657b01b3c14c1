/**
 * Requests per second with everything recorded, beside nginx's bare `proxy_pass`, in the same run on the same machine.
 *
 * Upstream: nginx, with responses of 600 bytes. Load: wrk, 32 connections, POST bodies of 600 bytes. Every request whose
 * response wrk saw must be in the database afterwards. Also the latency that Weir adds at one connection.
 * Both are warmed up first: a fresh service spends 10 to 40 us of CPU time a request on compiling its hot code.
 * Run: `bun bench/throughput.ts [--seconds 8] [--rounds 3] [--warm-up 5]`; needs nginx and wrk. Measures the program from source
 * and, where `dist/weir` exists, the binary.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, ROOT, residentMb, startWeir, type Weir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { sourceCommand } from "./load/checkout.ts";
import { countRecords } from "./load/contenders.ts";
import { startProvider, startProxy } from "./load/nginx.ts";
import { type Measured, RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { cpuByThread, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "5" },
  },
});
const [seconds, rounds, warmUp] = [Number(values.seconds), Number(values.rounds), Number(values["warm-up"])];
const directory = mkdtempSync(join(tmpdir(), "weir-throughput-"));

const recordedAll = (weir: Weir, expected: number) =>
  until(
    () => countRecords(weir.dataDirectory) >= expected,
    60_000,
    () => `${countRecords(weir.dataDirectory)} of ${expected} recorded`,
    100,
  );

/** One run against a fresh service, warmed up: the metrics of wrk, then what is in the database. */
async function measureWeir(name: string, command: readonly string[], upstreamPort: number): Promise<Measured> {
  const weir = await startWeir({ command });
  const lua = script(
    directory,
    "weir",
    gatewayHeaders(`http://127.0.0.1:${upstreamPort}`, { Authorization: "Bearer sk-bench" }),
  );
  const warm = await wrk(weir.gatewayPort, 32, lua, warmUp);
  // What the warm-up left to record would be counted as a cost of what is measured.
  await recordedAll(weir, warm.responses);
  const cpu = cpuByThread(weir.pid);
  const measured = await wrk(weir.gatewayPort, 32, lua, seconds);
  const sentMs = performance.now();
  const loadedMb = residentMb(weir.pid);
  const expected = warm.responses + measured.responses;
  await recordedAll(weir, expected);
  const lagMs = performance.now() - sentMs;
  const perRequest = [...cpuByThread(weir.pid)]
    .map(([thread, used]) => [thread, ((used - (cpu.get(thread) ?? 0)) * 1e6) / measured.responses] as const)
    .filter(([, us]) => us >= 1)
    .map(([thread, us]) => `${thread} ${us.toFixed(0)}`);
  console.log(
    `${name.padEnd(14)} ${line(measured)}; recorded ${countRecords(weir.dataDirectory)} of ${expected} answered, ${lagMs.toFixed(0)} ms after the end; ${loadedMb.toFixed(0)} MB`,
  );
  console.log(`${"".padEnd(14)} us of CPU a request, by thread: ${perRequest.join(", ")}`);
  await weir.stop();
  return measured;
}

const line = ({ requestsPerSecond, failed, p50Ms, p99Ms }: Measured) =>
  `${requestsPerSecond.toFixed(0).padStart(7)} requests/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, failed ${failed}`;

async function measureLatency(name: string, command: readonly string[], upstreamPort: number): Promise<void> {
  const weir = await startWeir({ command });
  const lua = script(
    directory,
    "weir",
    gatewayHeaders(`http://127.0.0.1:${upstreamPort}`, { Authorization: "Bearer sk-bench" }),
  );
  await wrk(weir.gatewayPort, 1, lua, 2);
  const direct = await wrk(upstreamPort, 1, script(directory, "direct", {}), 4);
  const through = await wrk(weir.gatewayPort, 1, lua, 4);
  console.log(
    `${name.padEnd(14)} one connection: direct p50 ${direct.p50Ms.toFixed(3)} ms, through p50 ${through.p50Ms.toFixed(3)} ms, ` +
      `added p50 ${(through.p50Ms - direct.p50Ms).toFixed(3)} ms, p99 ${(through.p99Ms - direct.p99Ms).toFixed(3)} ms`,
  );
  await weir.stop();
}

const provider = await startProvider(directory, RESPONSE_BODY);
const proxy = await startProxy(directory, provider.port);
const binary = join(ROOT, "dist/weir");
const programs: Record<string, string[]> = { "weir, source": sourceCommand(ROOT) };
if (existsSync(binary)) programs["weir, binary"] = [binary];

try {
  console.log(
    `${execFileSync("nproc", { encoding: "utf8" }).trim()} cores, ${rounds} rounds of ${seconds} s after ${warmUp} s of warm-up, 32 connections, 600-byte bodies`,
  );
  const results: Record<string, number[]> = { nginx: [] };
  for (let round = 0; round < rounds; round += 1) {
    await wrk(proxy.port, 32, script(directory, "proxy", {}), Math.min(1, warmUp));
    const nginx = await wrk(proxy.port, 32, script(directory, "proxy", {}), seconds);
    console.log(`${"nginx proxy".padEnd(14)} ${line(nginx)}`);
    results["nginx"]!.push(nginx.requestsPerSecond);
    for (const [name, command] of Object.entries(programs)) {
      const { requestsPerSecond } = await measureWeir(name, command, provider.port);
      results[name] = [...(results[name] ?? []), requestsPerSecond];
    }
  }
  const nginx = quantile(results["nginx"]!, 0.5);
  for (const name of Object.keys(programs)) {
    const weir = quantile(results[name]!, 0.5);
    console.log(
      `${name}: median ${weir.toFixed(0)} of nginx's ${nginx.toFixed(0)} requests/s: ratio ${(weir / nginx).toFixed(3)}`,
    );
  }
  for (const [name, command] of Object.entries(programs)) await measureLatency(name, command, provider.port);
} finally {
  await proxy.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
}
