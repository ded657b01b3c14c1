/**
 * What a request costs the gateway thread here, beside the least that records one (`load/minimal-gateway.ts`).
 *
 * They are programs of their own on the same runtime, with the same load, turn by turn, with nginx's bare `proxy_pass` in each
 * round; heads differ in every request. A turn ends when the recorder has read all of it, so that it delays no other turn.
 * With `--base` another commit takes its turns too.
 * Run: `bun bench/floor.ts [--rounds 6] [--seconds 2] [--base 81fbf23]`; needs git, nginx and wrk.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, startWeir, type Weir } from "../test/e2e/weir.ts";
import { freePort } from "../test/ports.ts";
import { until } from "../test/until.ts";
import { checkout, git, sourceCommand } from "./load/checkout.ts";
import { countRecords } from "./load/contenders.ts";
import { startProvider, startProxy } from "./load/nginx.ts";
import { DIFFERING, RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { cpuByThread, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "2" },
    base: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const directory = mkdtempSync(join(tmpdir(), "weir-floor-"));
const provider = await startProvider(directory, RESPONSE_BODY);
const proxy = await startProxy(directory, provider.port);
const headers = gatewayHeaders(`http://127.0.0.1:${provider.port}`, { Authorization: "Bearer sk-bench" });
const lua = script(directory, "gateway", headers);
writeFileSync(lua, DIFFERING, { flag: "a" });
const bare = script(directory, "proxy", {});

/** One of the programs, with microseconds of its main thread a request, by turn. */
interface Program {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly costs: number[];
  /** Undefined for the minimal one, whose journal is not read. */
  readonly service?: Weir;
  responses: number;
}

async function startService(name: string, root?: string): Promise<Program> {
  const service = await startWeir(root === undefined ? {} : { command: sourceCommand(root) });
  return { name, pid: service.pid, port: service.gatewayPort, costs: [], service, responses: 0 };
}

const weir = await startService("weir");
const baseRoot = values.base === undefined ? undefined : checkout(values.base, directory);
const base = baseRoot === undefined ? undefined : await startService("base", baseRoot);
const port = await freePort();
const minimal = spawn(
  process.execPath,
  ["--smol", join(import.meta.dirname, "load/minimal-gateway.ts"), String(port), join(directory, "journal")],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const floor: Program = { name: "minimal", pid: minimal.pid!, port, costs: [], responses: 0 };

/** @returns microseconds of the main thread a request. */
async function turn(program: Program, forSeconds: number): Promise<number> {
  const { name, pid, service } = program;
  const before = cpuByThread(pid).get("main")!;
  const { responses, failed, requestsPerSecond, p50Ms } = await wrk(program.port, 32, lua, forSeconds);
  program.responses += responses;
  if (service !== undefined) {
    const recorded = () => countRecords(service.dataDirectory);
    await until(
      () => recorded() >= program.responses,
      120_000,
      () => `${recorded()} of ${program.responses} recorded`,
      100,
    );
  }
  const cost = ((cpuByThread(pid).get("main")! - before) * 1e6) / responses;
  console.log(
    `${name.padEnd(8)} ${requestsPerSecond.toFixed(0)} requests/s, p50 ${p50Ms} ms, failed ${failed}; main thread ${cost.toFixed(1)} us`,
  );
  return cost;
}

function printRatio(part: Program, whole: Program): void {
  const ratios = part.costs.map((cost, round) => cost / whole.costs[round]!);
  console.log(`${part.name} / ${whole.name}, main thread, median of the rounds: ${quantile(ratios, 0.5).toFixed(3)}`);
}

try {
  await once(minimal.stdout, "data"); // it listens
  const programs = [weir, ...(base === undefined ? [] : [base]), floor];
  for (const program of programs) await turn(program, 5);
  console.log("warmed up");
  for (let round = 0; round < Number(values.rounds); round++) {
    const { requestsPerSecond } = await wrk(proxy.port, 32, bare, seconds);
    console.log(`nginx    ${requestsPerSecond.toFixed(0)} requests/s`);
    for (const program of round % 2 === 0 ? programs : programs.toReversed())
      program.costs.push(await turn(program, seconds));
  }
  printRatio(floor, weir);
  if (base !== undefined) {
    printRatio(floor, base);
    printRatio(weir, base);
  }
} finally {
  minimal.kill();
  await weir.service?.stop();
  await base?.service?.stop();
  await proxy.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
  if (baseRoot !== undefined) git("worktree", "prune");
}
