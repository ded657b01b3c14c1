/**
 * Thousands of SSE streams open at once, directly and through Weir, in the same run.
 *
 * Claim: all complete and all are recorded; prints the added time to the first token (p50, p99) and the memory a
 * stream costs. Run: `bun bench/streams.ts [--streams 4000] [--ramp-ms 4000] [--events 10] [--every-ms 1000]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import { gatewayHeaders, queryIds, residentMb, startWeir, until } from "../test/e2e/weir.ts";
import { cpuSeconds, pause, quantile, spread } from "./figures.ts";

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
const BODY = JSON.stringify({ model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "count" }] });

interface Stream {
  firstMs: number;
  complete: boolean;
  id: string;
}

/** One stream on a connection of its own. */
function stream(port: number, head: string): Promise<Stream> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const seen: Stream = { firstMs: Number.NaN, complete: false, id: "" };
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    let eventsSeen = 0;
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (seen.id === "") seen.id = /\r\ngateway-id: ([^\r]+)/i.exec(text)?.[1] ?? "";
      if (Number.isNaN(seen.firstMs) && text.includes("data: {")) seen.firstMs = performance.now() - startedAt;
      if (text.includes("data: [DONE]\n\n") && /\r\n0\r\n\r\n$/.test(text)) {
        eventsSeen = text.split("data: {").length - 1;
        seen.complete = eventsSeen === events;
        socket.destroy();
      }
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(seen));
    socket.write(head);
  });
}

async function run(port: number, headers: Readonly<Record<string, string>>): Promise<Stream[]> {
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\n${lines}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
  const startedAt = performance.now();
  const all: Promise<Stream>[] = [];
  while (all.length < streams) {
    const due =
      rampMs === 0 ? streams : Math.min(streams, Math.ceil(((performance.now() - startedAt) / rampMs) * streams));
    while (all.length < due) all.push(stream(port, head));
    await pause(2);
  }
  return Promise.all(all);
}

const upstream = spawn(process.execPath, [`${import.meta.dirname}/sse-upstream.ts`, String(events), String(everyMs)], {
  stdio: ["ignore", "pipe", "inherit"],
});
let said = "";
upstream.stdout.on("data", (chunk) => (said += chunk));
await until(
  () => said.includes("port "),
  5_000,
  () => "the upstream did not start",
);
const upstreamPort = Number(/port (\d+)/.exec(said)![1]);

try {
  const direct = await run(upstreamPort, {});
  const weir = await startWeir();
  const idleMb = residentMb(weir.pid);
  let mostMb = 0;
  const watch = setInterval(() => (mostMb = Math.max(mostMb, residentMb(weir.pid))), 100);
  const cpuBefore = cpuSeconds(weir.pid);
  const through = await run(weir.gatewayPort, gatewayHeaders(`http://127.0.0.1:${upstreamPort}`));
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
  said = "";
  upstream.kill("SIGUSR2");
  await until(
    () => said.includes("most_open"),
    2_000,
    () => "the upstream is silent",
  );

  const first = { direct: direct.map(({ firstMs }) => firstMs), through: through.map(({ firstMs }) => firstMs) };
  const added = (share: number) => quantile(first.through, share) - quantile(first.direct, share);
  const complete = through.filter((one) => one.complete).length;
  console.log(
    `streams ${streams}, opened over ${rampMs} ms, ${events} events each, one per ${everyMs} ms; ${said.trim()}`,
  );
  console.log(
    `direct:       complete ${direct.filter((one) => one.complete).length}, first token ${spread(first.direct)}`,
  );
  console.log(`through weir: complete ${complete}, first token ${spread(first.through)}`);
  console.log(`added time to first token: p50 ${added(0.5).toFixed(1)} ms, p99 ${added(0.99).toFixed(1)} ms`);
  console.log(
    `memory: idle ${idleMb.toFixed(0)} MB, most ${mostMb.toFixed(0)} MB, per stream ${(((mostMb - idleMb) * 1024) / streams).toFixed(1)} kB`,
  );
  console.log(`cpu: ${cpu.toFixed(1)} s, ${((cpu * 1e6) / (streams * events)).toFixed(0)} us per event`);
  console.log(`recorded as complete streams: ${recorded}`);
  process.exitCode = complete === streams && recorded === streams ? 0 : 1;
  await weir.stop();
} finally {
  upstream.kill();
  await once(upstream, "exit");
}
