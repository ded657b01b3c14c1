/**
 * Thousands of SSE streams open at once, directly and through Weir, in the same run; with `--base`, through another commit as well.
 *
 * Claim: all complete and all are recorded. Prints the time to the first token (p50, p99), and the memory that a stream takes
 * while all are open, and at most, when their records are made as well. `--ramp-ms 0` opens all as fast as the client can.
 * Run: `bun bench/streams.ts [--streams 4000] [--ramp-ms 4000] [--events 10] [--every-ms 1000] [--base COMMIT] [--rounds 1]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, queryIds, ROOT, residentMb, startWeir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { checkout, git, sourceCommand } from "./load/checkout.ts";
import { openStreams, type Stream, type StreamLoad, startSseProvider } from "./load/streams.ts";
import { cpuSeconds, quantile, spread } from "./measured.ts";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "4000" },
    "ramp-ms": { type: "string", default: "4000" },
    events: { type: "string", default: "10" },
    "every-ms": { type: "string", default: "1000" },
    base: { type: "string" },
    rounds: { type: "string", default: "1" },
  },
});
const [streams, rampMs, events, everyMs] = [values.streams, values["ramp-ms"], values.events, values["every-ms"]].map(
  Number,
) as [number, number, number, number];
const load: StreamLoad = { streams, rampMs, events };
const directory = mkdtempSync(join(tmpdir(), "weir-streams-"));

/** Opens them through a service of its own. @returns whether all completed and were recorded. */
async function through(name: string, root: string, providerPort: number): Promise<boolean> {
  const weir = await startWeir({ command: sourceCommand(root) });
  const idleMb = residentMb(weir.pid);
  const resident: { readonly atMs: number; readonly mb: number }[] = [];
  const startMs = performance.now();
  const watch = setInterval(() => resident.push({ atMs: performance.now() - startMs, mb: residentMb(weir.pid) }), 100);
  const cpuBefore = cpuSeconds(weir.pid);
  const all = await openStreams(weir.gatewayPort, gatewayHeaders(`http://127.0.0.1:${providerPort}`), load);
  clearInterval(watch);
  const cpu = cpuSeconds(weir.pid) - cpuBefore;
  const ids = all.map(({ id }) => id).filter(Boolean);
  let recorded = 0;
  await until(
    async () => {
      const records = await queryIds(weir, ids);
      recorded = records.filter((record) => record["response_status"] === 200 && record["streamed"] === true).length;
      return recorded >= streams;
    },
    30_000,
    () => `only ${recorded} records`,
    500,
  ).catch((error) => console.log(String(error)));
  await weir.stop();

  // From the last first token to the first end.
  const openFromMs = rampMs + Math.max(...firstTokens(all));
  const open = resident.filter(({ atMs }) => atMs > openFromMs && atMs < (events - 1) * everyMs);
  const memory = (of: typeof resident) =>
    (((Math.max(...of.map(({ mb }) => mb)) - idleMb) * 1024) / streams).toFixed(1);
  print(name, all);
  console.log(
    `  kB a stream: all open ${memory(open)}, most ${memory(resident)} (idle ${idleMb.toFixed(0)} MB); ` +
      `CPU ${((cpu * 1e6) / (streams * events)).toFixed(0)} us an event; recorded as complete streams ${recorded}`,
  );
  return recorded === streams && all.every(({ complete }) => complete);
}

/** Milliseconds; without streams that had none. */
const firstTokens = (all: readonly Stream[]) => all.map(({ firstMs }) => firstMs).filter((ms) => !Number.isNaN(ms));

const firsts = new Map<string, number[]>();

function print(name: string, all: readonly Stream[]): void {
  const first = firstTokens(all);
  firsts.set(name, [...(firsts.get(name) ?? []), quantile(first, 0.5)]);
  console.log(
    `${name.padEnd(7)} complete ${all.filter(({ complete }) => complete).length}, first token ${spread(first)}`,
  );
}

const provider = await startSseProvider(events, everyMs);
try {
  const roots: [string, string][] = [["here", ROOT]];
  if (values.base !== undefined) roots.push(["base", checkout(values.base, directory)]);
  console.log(`${streams} streams, opened over ${rampMs} ms, ${events} events each, one per ${everyMs} ms`);
  let isWhole = true;
  for (let round = 0; round < Number(values.rounds); round += 1) {
    print("direct", await openStreams(provider.port, {}, load));
    for (const [name, root] of round % 2 ? roots.toReversed() : roots) {
      isWhole = (await through(name, root, provider.port)) && isWhole;
    }
  }
  const medians = [...firsts].map(([name, p50s]) => `${name} ${quantile(p50s, 0.5).toFixed(1)}`);
  console.log(`most open ${await provider.mostOpen()}; median of first token's p50, ms: ${medians.join(", ")}`);
  process.exitCode = isWhole ? 0 : 1;
} finally {
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
  git("worktree", "prune");
}
