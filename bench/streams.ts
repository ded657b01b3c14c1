/**
 * Thousands of SSE streams open at once, directly and through Weir, in the same run.
 *
 * Claim: all complete and all are recorded. Prints the added time to the first token (p50, p99), and the memory that a stream
 * takes while all are open, and at most, when their records are made as well. Run: `bun bench/streams.ts [--streams 4000] [--ramp-ms 4000] [--events 10] [--every-ms 1000]`.
 */
import { parseArgs } from "node:util";
import { gatewayHeaders, queryIds, residentMb, startWeir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { openStreams, type StreamLoad, startSseProvider } from "./load/streams.ts";
import { cpuSeconds, quantile, spread } from "./measured.ts";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "4000" },
    "ramp-ms": { type: "string", default: "4000" },
    events: { type: "string", default: "10" },
    "every-ms": { type: "string", default: "1000" },
  },
});
const [streams, rampMs, events, everyMs] = [values.streams, values["ramp-ms"], values.events, values["every-ms"]].map(
  Number,
) as [number, number, number, number];
const load: StreamLoad = { streams, rampMs, events };
const upstream = await startSseProvider(events, everyMs);

try {
  const direct = await openStreams(upstream.port, {}, load);
  const weir = await startWeir();
  const idleMb = residentMb(weir.pid);
  const resident: { readonly atMs: number; readonly mb: number }[] = [];
  const startMs = performance.now();
  const watch = setInterval(() => resident.push({ atMs: performance.now() - startMs, mb: residentMb(weir.pid) }), 100);
  const cpuBefore = cpuSeconds(weir.pid);
  const through = await openStreams(weir.gatewayPort, gatewayHeaders(`http://127.0.0.1:${upstream.port}`), load);
  clearInterval(watch);
  const cpu = cpuSeconds(weir.pid) - cpuBefore;
  const ids = through.map(({ id }) => id).filter(Boolean);
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
  const mostOpen = await upstream.mostOpen();

  const first = { direct: direct.map(({ firstMs }) => firstMs), through: through.map(({ firstMs }) => firstMs) };
  const added = (share: number) => quantile(first.through, share) - quantile(first.direct, share);
  const complete = through.filter((one) => one.complete).length;
  console.log(
    `streams ${streams}, opened over ${rampMs} ms, ${events} events each, one per ${everyMs} ms; most open ${mostOpen}`,
  );
  console.log(
    `direct:       complete ${direct.filter((one) => one.complete).length}, first token ${spread(first.direct)}`,
  );
  console.log(`through weir: complete ${complete}, first token ${spread(first.through)}`);
  console.log(`added time to first token: p50 ${added(0.5).toFixed(1)} ms, p99 ${added(0.99).toFixed(1)} ms`);
  // From the last first token to the first end.
  const openFromMs = rampMs + Math.max(...first.through);
  const open = resident.filter(({ atMs }) => atMs > openFromMs && atMs < (events - 1) * everyMs);
  const memory = (of: typeof resident) => {
    const mb = Math.max(...of.map((sample) => sample.mb));
    return `${mb.toFixed(0)} MB, per stream ${(((mb - idleMb) * 1024) / streams).toFixed(1)} kB`;
  };
  console.log(`memory: idle ${idleMb.toFixed(0)} MB; all open ${memory(open)}; most ${memory(resident)}`);
  console.log(`cpu: ${cpu.toFixed(1)} s, ${((cpu * 1e6) / (streams * events)).toFixed(0)} us per event`);
  console.log(`recorded as complete streams: ${recorded}`);
  process.exitCode = complete === streams && recorded === streams ? 0 : 1;
  await weir.stop();
} finally {
  await upstream.stop();
}
