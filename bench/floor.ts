/**
 * What a request costs the gateway thread here, beside the least that records one (`load/minimal-gateway.ts`).
 *
 * Both are programs of their own on the same runtime, with the same load, turn by turn, with nginx's bare `proxy_pass` in each
 * round; heads differ in every request. A turn ends when the recorder has read all of it, so that it delays nobody else.
 * Run: `bun bench/floor.ts [--rounds 6] [--seconds 2]`; needs nginx and wrk.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, startWeir } from "../test/e2e/weir.ts";
import { freePort } from "../test/ports.ts";
import { until } from "../test/until.ts";
import { countRecords } from "./load/contenders.ts";
import { startProvider, startProxy } from "./load/nginx.ts";
import { DIFFERING, RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { cpuByThread, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "6" }, seconds: { type: "string", default: "2" } },
});
const seconds = Number(values.seconds);
const directory = mkdtempSync(join(tmpdir(), "weir-floor-"));
const provider = await startProvider(directory, RESPONSE_BODY);
const proxy = await startProxy(directory, provider.port);
const headers = gatewayHeaders(`http://127.0.0.1:${provider.port}`, { Authorization: "Bearer sk-bench" });
const lua = script(directory, "gateway", headers);
writeFileSync(lua, DIFFERING, { flag: "a" });
const bare = script(directory, "proxy", {});

const weir = await startWeir();
const port = await freePort();
const minimal = spawn(
  process.execPath,
  ["--smol", join(import.meta.dirname, "load/minimal-gateway.ts"), String(port), join(directory, "journal")],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const costs: Record<string, number[]> = { weir: [], minimal: [] };
let weirResponses = 0;

/** @returns microseconds of the main thread a request. */
async function turn(name: string, pid: number, gatewayPort: number, forSeconds: number): Promise<number> {
  const before = cpuByThread(pid).get("main")!;
  const { responses, failed, requestsPerSecond, p50Ms } = await wrk(gatewayPort, 32, lua, forSeconds);
  if (name === "weir") {
    weirResponses += responses;
    const recorded = () => countRecords(weir.dataDirectory);
    await until(
      () => recorded() >= weirResponses,
      120_000,
      () => `${recorded()} of ${weirResponses} recorded`,
      100,
    );
  }
  const cost = ((cpuByThread(pid).get("main")! - before) * 1e6) / responses;
  console.log(
    `${name.padEnd(8)} ${requestsPerSecond.toFixed(0)} requests/s, p50 ${p50Ms} ms, failed ${failed}; main thread ${cost.toFixed(0)} us`,
  );
  return cost;
}

try {
  await once(minimal.stdout, "data"); // it listens
  const programs = [
    ["weir", weir.pid, weir.gatewayPort],
    ["minimal", minimal.pid!, port],
  ] as const;
  for (const [name, pid, gatewayPort] of programs) await turn(name, pid, gatewayPort, 5);
  console.log("warmed up");
  for (let round = 0; round < Number(values.rounds); round++) {
    const { requestsPerSecond } = await wrk(proxy.port, 32, bare, seconds);
    console.log(`nginx    ${requestsPerSecond.toFixed(0)} requests/s`);
    for (const [name, pid, gatewayPort] of round % 2 === 0 ? programs : programs.toReversed())
      costs[name]!.push(await turn(name, pid, gatewayPort, seconds));
  }
  const ratios = costs["minimal"]!.map((cost, round) => cost / costs["weir"]![round]!);
  console.log(`minimal / weir, main thread, median of the rounds: ${quantile(ratios, 0.5).toFixed(3)}`);
} finally {
  minimal.kill();
  await weir.stop();
  await proxy.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
}
