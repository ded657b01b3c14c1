/**
 * What a second gateway thread gives: requests per second with one and with two, everything recorded, beside nginx's
 * bare `proxy_pass` in the same run, and the CPU time of each thread, which says what cores of their own would
 * give. Every request whose response wrk saw must be in the database afterwards.
 *
 * Upstream: nginx, with responses of 600 bytes. Load: wrk, POST bodies of 600 bytes. All share the machine's cores.
 * Run: `bun bench/gateway-threads.ts [--seconds 8] [--rounds 2] [--connections 32] [--threads 1,2]`; needs nginx and wrk.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, residentMb, startWeir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { countRecords } from "./load/contenders.ts";
import { startProvider, startProxy } from "./load/nginx.ts";
import { type Measured, RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { cpuByThread, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "2" },
    connections: { type: "string", default: "32" },
    threads: { type: "string", default: "1,2" },
  },
});
const [seconds, rounds, connections] = [Number(values.seconds), Number(values.rounds), Number(values.connections)];
const WARM_UP_SECONDS = 4;
const directory = mkdtempSync(join(tmpdir(), "weir-threads-"));

const line = ({ requestsPerSecond, failed, p50Ms, p99Ms }: Measured) =>
  `${requestsPerSecond.toFixed(0).padStart(7)} requests/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, failed ${failed}`;

async function measure(threads: string, upstreamPort: number): Promise<number> {
  const weir = await startWeir({ env: { WEIR_GATEWAY_THREADS: threads } });
  const target = `http://127.0.0.1:${upstreamPort}`;
  const lua = script(directory, "weir", gatewayHeaders(target, { Authorization: "Bearer sk-bench" }));
  let expected = 0;
  const recorded = () =>
    until(
      () => countRecords(weir.dataDirectory) >= expected,
      120_000,
      () => `${countRecords(weir.dataDirectory)} of ${expected} recorded`,
      100,
    );
  expected += (await wrk(weir.gatewayPort, connections, lua, WARM_UP_SECONDS)).responses;
  await recorded();
  const before = cpuByThread(weir.pid);
  const measured = await wrk(weir.gatewayPort, connections, lua, seconds);
  const megabytes = residentMb(weir.pid);
  expected += measured.responses;
  await recorded();
  const used = [...cpuByThread(weir.pid)]
    .map(([thread, cpu]) => [thread, ((cpu - (before.get(thread) ?? 0)) * 1e6) / measured.responses] as const)
    .filter(([, us]) => us >= 1)
    .map(([thread, us]) => `${thread} ${us.toFixed(0)}`);
  console.log(
    `weir, ${threads} threads  ${line(measured)}; recorded ${countRecords(weir.dataDirectory)} of ${expected} answered; ${megabytes.toFixed(0)} MB`,
  );
  console.log(`                 us of CPU a request, by thread: ${used.join(", ")}`);
  await weir.stop();
  return measured.requestsPerSecond;
}

const provider = await startProvider(directory, RESPONSE_BODY);
const proxy = await startProxy(directory, provider.port);
try {
  const cores = execFileSync("nproc", { encoding: "utf8" }).trim();
  console.log(`${cores} cores, ${rounds} rounds of ${seconds} s, ${connections} connections, 600-byte bodies`);
  const results = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    const nginx = await wrk(proxy.port, connections, script(directory, "proxy", {}), seconds);
    console.log(`nginx proxy      ${line(nginx)}`);
    for (const threads of values.threads.split(",")) {
      const rate = await measure(threads, provider.port);
      results.set(threads, [...(results.get(threads) ?? []), rate / nginx.requestsPerSecond]);
    }
  }
  for (const [threads, ratios] of results)
    console.log(`${threads} threads: ${quantile(ratios, 0.5).toFixed(3)} of nginx's requests/s (median)`);
} finally {
  await proxy.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
}
