/**
 * What a recorded request costs here, beside another commit: microseconds of CPU a request, by thread, and requests a second.
 *
 * Both services run all the while and take turns, with nginx's bare `proxy_pass` as the yardstick in each round, so that what
 * else the machine does falls on all. Heads differ in every request (a trace id, a user, a property); with `--heads same` they do not.
 * Run: `bun bench/ab.ts [--base 81fbf23] [--seconds 4] [--rounds 6] [--warm-up 6] [--heads differ] [--binary]`; needs git, nginx and wrk.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, ROOT, startWeir, type Weir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { checkout, git, sourceCommand } from "./load/checkout.ts";
import { countRecords } from "./load/contenders.ts";
import { startProvider, startProxy } from "./load/nginx.ts";
import { DIFFERING, RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { cpuByThread, cpuSeconds, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "81fbf23" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "6" },
    "warm-up": { type: "string", default: "6" },
    heads: { type: "string", default: "differ" },
    binary: { type: "boolean", default: false },
  },
});
const [seconds, rounds, warmUp] = [Number(values.seconds), Number(values.rounds), Number(values["warm-up"])];
const directory = mkdtempSync(join(tmpdir(), "weir-ab-"));

/** One turn of one service. CPU in microseconds a request. */
interface Turn {
  readonly requestsPerSecond: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly gateway: number;
  readonly recorder: number;
  readonly all: number;
}

interface Service {
  readonly weir: Weir;
  readonly turns: Turn[];
  responses: number;
}

async function start(root: string): Promise<Service> {
  let command = sourceCommand(root);
  if (values.binary) {
    const outfile = join(root, "dist/ab/weir");
    execFileSync(process.execPath, [join(root, "build/binary.ts"), "--outfile", outfile], { cwd: root });
    command = [outfile];
  }
  return { weir: await startWeir({ command }), turns: [], responses: 0 };
}

const recordedAll = ({ weir, responses }: Service) =>
  until(
    () => countRecords(weir.dataDirectory) >= responses,
    120_000,
    () => `${countRecords(weir.dataDirectory)} of ${responses} recorded`,
    100,
  );

/** Load for some seconds; the recorder's work on it is waited for and counted. */
async function turn(service: Service, lua: string, forSeconds: number): Promise<Turn> {
  const { pid, gatewayPort } = service.weir;
  const [before, allBefore] = [cpuByThread(pid), cpuSeconds(pid)];
  const { requestsPerSecond, responses, failed, p50Ms, p99Ms } = await wrk(gatewayPort, 32, lua, forSeconds);
  service.responses += responses;
  await recordedAll(service);
  const after = cpuByThread(pid);
  const used = (thread: string) => (((after.get(thread) ?? 0) - (before.get(thread) ?? 0)) * 1e6) / responses;
  const recorder = [...after.keys()]
    .filter((name) => name.startsWith("src/recorder"))
    .reduce((sum, n) => sum + used(n), 0);
  const all = ((cpuSeconds(pid) - allBefore) * 1e6) / responses;
  return { requestsPerSecond, failed, p50Ms, p99Ms, gateway: used("main"), recorder, all };
}

const provider = await startProvider(directory, RESPONSE_BODY);
const proxy = await startProxy(directory, provider.port);
const headers = gatewayHeaders(`http://127.0.0.1:${provider.port}`, { Authorization: "Bearer sk-bench" });
const lua = script(directory, "weir", headers);
if (values.heads === "differ") writeFileSync(lua, DIFFERING, { flag: "a" });
const bare = script(directory, "proxy", {});
const services: Record<string, Service> = {};
const nginx: number[] = [];

const median = (turns: readonly Turn[], member: keyof Turn) =>
  quantile(
    turns.map((each) => each[member]),
    0.5,
  );
const line = (name: string, at: (member: keyof Turn) => number) =>
  `${name.padEnd(8)} ${at("requestsPerSecond").toFixed(0).padStart(6)} requests/s, p50 ${at("p50Ms").toFixed(2)} ms, p99 ${at("p99Ms").toFixed(1)} ms; ` +
  `us of CPU a request: gateway ${at("gateway").toFixed(0)}, recorder ${at("recorder").toFixed(0)}, all ${at("all").toFixed(0)}`;

try {
  services["base"] = await start(checkout(values.base, directory));
  services["here"] = await start(ROOT);
  console.log(
    `base ${git("rev-parse", "--short", values.base)}, here ${git("describe", "--always", "--dirty")}, heads ${values.heads}, ${values.binary ? "binaries" : "source"}, ${rounds} rounds of ${seconds} s`,
  );
  for (const service of Object.values(services)) await turn(service, lua, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    const yardstick = await wrk(proxy.port, 32, bare, Math.min(2, seconds));
    nginx.push(yardstick.requestsPerSecond);
    console.log(`nginx    ${yardstick.requestsPerSecond.toFixed(0).padStart(6)} requests/s`);
    const order = Object.entries(services);
    for (const [name, service] of round % 2 ? order.reverse() : order) {
      const measured = await turn(service, lua, seconds);
      service.turns.push(measured);
      console.log(line(name, (member) => measured[member]) + (measured.failed ? `, failed ${measured.failed}` : ""));
    }
  }
  console.log("medians");
  for (const [name, { turns }] of Object.entries(services)) console.log(line(name, (member) => median(turns, member)));
  const ratio = (member: keyof Turn) =>
    (median(services["here"]!.turns, member) / median(services["base"]!.turns, member)).toFixed(3);
  console.log(
    `here / base: requests/s ${ratio("requestsPerSecond")}, gateway's CPU ${ratio("gateway")}, recorder's ${ratio("recorder")}, all ${ratio("all")}; ` +
      `of nginx ${(median(services["here"]!.turns, "requestsPerSecond") / quantile(nginx, 0.5)).toFixed(3)}`,
  );
} finally {
  for (const { weir } of Object.values(services)) await weir.stop();
  await proxy.stop();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
  git("worktree", "prune");
}
