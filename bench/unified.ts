/**
 * The unified address beside pass-through, in the same run on the same machine, everything recorded: a 2 kB chat request
 * that keeps its shape, and one that is translated to Anthropic's Messages and back.
 *
 * Claims: the same shape has at least 60 % of pass-through's requests a second and adds at most 0.3 ms at the median of one
 * connection; a translated request at most 1 ms. Printed beside them: microseconds of CPU a request by thread, the recorder's
 * work on it included. On a machine with other work only the ratios of CPU say something. Each kind is warmed up with as many
 * requests; kinds take turns in each round, and with `--base` another commit's service beside them, so that a change of the
 * machine is a change for all.
 * Run: `bun bench/unified.ts [--seconds 6] [--rounds 3] [--warm-up 20000] [--base COMMIT] [--latency no]`; needs nginx and wrk.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, KEY, ROOT, startWeir, type Weir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { checkout, git, sourceCommand } from "./load/checkout.ts";
import { countRecords } from "./load/contenders.ts";
import { startProvider } from "./load/nginx.ts";
import { CHAT, chatRequest, MESSAGE } from "./load/unified-chat.ts";
import { script, wrk } from "./load/wrk.ts";
import { cpuByThread, cpuSeconds, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "6" },
    rounds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "20000" },
    base: { type: "string" },
    latency: { type: "string", default: "yes" },
  },
});
const [seconds, rounds, warmUp] = [Number(values.seconds), Number(values.rounds), Number(values["warm-up"])];
const directory = mkdtempSync(join(tmpdir(), "weir-unified-"));

const chat = await startProvider(directory, CHAT);
const messages = await startProvider(directory, MESSAGE);
const key = { Authorization: `Bearer ${KEY}` };
const KINDS = [
  {
    name: "pass-through",
    headers: gatewayHeaders(`http://127.0.0.1:${chat.port}`, { Authorization: "Bearer x" }),
    body: chatRequest("m-1"),
  },
  { name: "same shape", headers: key, body: chatRequest("groq/m-1") },
  { name: "translated", headers: key, body: chatRequest("anthropic/claude-1") },
].map((kind) => ({ ...kind, lua: script(directory, kind.name.replace(" ", "-"), kind.headers, kind.body) }));

/** One turn of one kind at one service. CPU in microseconds a request. */
interface Turn {
  readonly requestsPerSecond: number;
  /** NaN where it was not measured. */
  readonly p50Ms: number;
  readonly gateway: number;
  readonly recorder: number;
  readonly all: number;
}

interface Service {
  readonly name: string;
  readonly weir: Weir;
  readonly turns: Map<string, Turn[]>;
  responses: number;
}

async function start(name: string, root: string): Promise<Service> {
  const weir = await startWeir({ command: sourceCommand(root) });
  await addCredential(weir, { provider: "groq", base_url: `http://127.0.0.1:${chat.port}` });
  await addCredential(weir, { provider: "anthropic", base_url: `http://127.0.0.1:${messages.port}` });
  return { name, weir, turns: new Map(), responses: 0 };
}

/** Load for some seconds; the recorder's work on it is waited for and counted. Again where a busy machine let nothing through. */
async function turn(service: Service, lua: string, forSeconds: number): Promise<Turn> {
  const { pid, gatewayPort, dataDirectory } = service.weir;
  const [before, allBefore] = [cpuByThread(pid), cpuSeconds(pid)];
  const { requestsPerSecond, responses, failed } = await wrk(gatewayPort, 32, lua, forSeconds);
  if (failed > 0) throw new Error(`${failed} requests failed`);
  if (responses === 0) return turn(service, lua, forSeconds);
  service.responses += responses;
  await until(
    () => countRecords(dataDirectory) >= service.responses,
    120_000,
    () => `${countRecords(dataDirectory)} of ${service.responses} recorded`,
    100,
  );
  const after = cpuByThread(pid);
  const used = (wanted: string) =>
    [...after].reduce((sum, [name, to]) => sum + (name.startsWith(wanted) ? to - (before.get(name) ?? 0) : 0), 0);
  const us = (spent: number) => (spent * 1e6) / responses;
  const cpu = { gateway: us(used("main")), recorder: us(used("src/recorder")), all: us(cpuSeconds(pid) - allBefore) };
  if (values.latency !== "yes") return { ...cpu, requestsPerSecond, p50Ms: Number.NaN };
  const one = await wrk(gatewayPort, 1, lua, Math.max(2, forSeconds / 2));
  service.responses += one.responses;
  return { ...cpu, requestsPerSecond, p50Ms: one.p50Ms };
}

/** So many requests, however long they take: what is compiled by then decides about the CPU that is measured. */
async function warm(service: Service, lua: string): Promise<void> {
  for (const until = service.responses + warmUp; service.responses < until; )
    service.responses += (await wrk(service.weir.gatewayPort, 32, lua, 3)).responses;
}

const median = (turns: readonly Turn[] = [], member: keyof Turn) =>
  quantile(
    turns.map((each) => each[member]),
    0.5,
  );

/** The medians of a service's kinds, each beside its pass-through. */
function print({ name: service, turns }: Service): void {
  const base = turns.get("pass-through");
  for (const { name } of KINDS) {
    const of = (member: keyof Turn) => median(turns.get(name), member);
    const beside = (member: keyof Turn) => (of(member) / median(base, member)).toFixed(2);
    const more = of("p50Ms") - median(base, "p50Ms");
    const latency = values.latency === "yes" ? `; p50 ${of("p50Ms").toFixed(3)} ms, ${more.toFixed(3)} more` : "";
    console.log(
      `${service.padEnd(5)}${name.padEnd(13)}${of("requestsPerSecond").toFixed(0).padStart(6)} requests/s (${beside("requestsPerSecond")})${latency}; ` +
        `us of CPU: gateway ${of("gateway").toFixed(0)} (${beside("gateway")}), recorder ${of("recorder").toFixed(0)} (${beside("recorder")}), all ${of("all").toFixed(0)} (${beside("all")})`,
    );
  }
}

const services: Service[] = [];
const load: number[] = [];
try {
  services.push(await start("here", ROOT));
  if (values.base !== undefined) services.push(await start("base", checkout(values.base, directory)));
  for (const service of services) for (const { lua } of KINDS) await warm(service, lua);
  for (let round = 0; round < rounds; round++) {
    load.push(loadavg()[0]!);
    for (const { name, lua } of KINDS) {
      for (const service of round % 2 ? [...services].reverse() : services)
        service.turns.set(name, [...(service.turns.get(name) ?? []), await turn(service, lua, seconds)]);
    }
  }
  console.log(`${rounds} rounds of ${seconds} s, load ${load.map((each) => each.toFixed(0)).join(" ")}; medians`);
  for (const service of services) print(service);
  const figures = services.map(({ name, turns }) => ({ name, turns: Object.fromEntries(turns) }));
  const commit = git("describe", "--always", "--dirty");
  writeFileSync(
    new URL("results/unified.json", import.meta.url),
    `${JSON.stringify({ commit, base: values.base, date: new Date().toISOString(), seconds, rounds, load, figures }, null, 2)}\n`,
  );
} finally {
  for (const { weir } of services) await weir.stop();
  await chat.stop();
  await messages.stop();
  rmSync(directory, { recursive: true, force: true });
  git("worktree", "prune");
}

async function addCredential(to: Weir, more: object): Promise<void> {
  const response = await fetch(`${to.api}/v1/credentials`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: `bench-${JSON.stringify(more).length}`, api_key: "k", private: true, ...more }),
  });
  if (!response.ok) throw new Error(`the credential was refused: ${await response.text()}`);
}
