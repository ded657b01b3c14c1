/**
 * What queries cost the traffic: milliseconds that proxied requests take without queries, and while typical queries
 * of a dashboard run one after another, in turns of a few seconds each.
 *
 * In production client and provider are on other machines and must not wait for this one's cores: here they run in the
 * real-time class (`chrt`, needs root), and the client that queries takes only idle time. What is measured then is what Weir adds.
 *
 * Claim: at most 1 ms added at p99. Run: `bun bench/query-interference.ts --data-dir DIR [--rounds 12] [--seconds 5]
 * [--rate 100] [--queries page,metrics,sort,users,bodies]`, on a directory that `bench/seed.ts` filled; it gets more records.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, startWeir } from "../test/e2e/weir.ts";
import { atSteadyRate, timedRequest } from "./load/steady.ts";
import { cpuByThread, pause, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    "data-dir": { type: "string" },
    rounds: { type: "string", default: "12" },
    seconds: { type: "string", default: "5" },
    rate: { type: "string", default: "100" },
    queries: { type: "string", default: "page,metrics,sort,users" },
  },
});
const dataDirectory = resolve(values["data-dir"] ?? process.env["WEIR_DATA_DIR"] ?? "./weir-data");
const [rounds, seconds, rate] = [Number(values.rounds), Number(values.seconds), Number(values.rate)];
const P99_ADDED_MS_MAX = 1;
/** The first queries run code that has not been compiled yet. */
const WARM_UP_MS = 5_000;
const DAY = 86_400_000;

const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const and = (left: unknown, right: unknown) => ({ left, operator: "and", right });
const since = (days: number) => leaf("request_created_at", { gte: new Date(Date.now() - days * DAY).toISOString() });
const production = leaf("properties", { Environment: { equals: "production" } });

/** Questions by name: path and body. */
const QUESTIONS: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  page: [
    ["/v1/request/query-fast", { filter: and(since(7), production), limit: 100, includeBody: false }],
    ["/v1/request/query-fast", { filter: "all", limit: 100 }],
  ],
  metrics: [
    ["/v1/metrics/query", { filter: since(30), group_by: ["model"], time_bucket: "day" }],
    ["/v1/metrics/query", { filter: and(since(7), production), group_by: ["status"], time_bucket: "hour" }],
  ],
  sort: [["/v1/request/query-fast", { filter: "all", sort: { latency: "desc" }, limit: 100, includeBody: false }]],
  users: [
    ["/v1/user/metrics/query", { filter: "all", limit: 100 }],
    ["/v1/session/query", { filter: "all", limit: 100 }],
  ],
  bodies: [["/v1/request/query-fast", { filter: and(since(1), leaf("response_body", { contains: "nowhere" })) }]],
};
const chosen = values.queries.split(",").flatMap((name) => QUESTIONS[name] ?? []);

const RESPONSE = JSON.stringify({
  id: "c-1",
  choices: [{ message: { role: "assistant", content: "deep ".repeat(100) } }],
});
const BODY = JSON.stringify({
  model: "m-1",
  messages: [{ role: "user", content: "How deep is the river? ".repeat(20) }],
});
const server = http.createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(RESPONSE));
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
await using weir = await startWeir({ dataDirectory });
takeProcessorFirst();
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const headers = gatewayHeaders(target, { "Content-Type": "application/json", Authorization: "Bearer key" });

const send = () => timedRequest(`${weir.gateway}/v1/chat/completions`, { method: "POST", agent, headers }, BODY);
const traffic = () => atSteadyRate({ seconds, rate }, send);

/** This thread, client and provider in one, waits for no thread of Weir's. */
function takeProcessorFirst(): void {
  const { status } = spawnSync("chrt", ["--rr", "--pid", "1", String(process.pid)]);
  if (status !== 0) console.log("client and provider wait for processors as well: `chrt` could not raise them");
}

/** Asks in a process of its own that takes only idle time (`chrt` of util-linux): people who ask sit at other machines. */
function startAsking(): { stop(): Promise<number[]> } {
  const asker = join(import.meta.dirname, "load/asker.ts");
  const words = ["--idle", "0", process.execPath, asker, weir.api, JSON.stringify(chosen)];
  const child = spawn("chrt", words, { stdio: ["pipe", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const closed = once(child, "close");
  return {
    stop: async () => {
      child.stdin.end();
      const [status] = await closed;
      if (status !== 0) throw new Error(`who asks ended with status ${status}`);
      return JSON.parse(printed);
    },
  };
}

const quiet: number[] = [];
const busy: number[] = [];
const queries: number[] = [];
await traffic();
const warmUp = startAsking();
await pause(WARM_UP_MS);
await warmUp.stop();
const before = cpuByThread(weir.pid);
for (let round = 0; round < rounds; round++) {
  const alone = await traffic();
  const asking = startAsking();
  const beside = await traffic();
  queries.push(...(await asking.stop()));
  quiet.push(...alone);
  busy.push(...beside);
  console.log(`round ${round + 1}: ${line(alone)} alone; ${line(beside)} beside queries`);
}
const added = (share: number) => (quantile(busy, share) - quantile(quiet, share)).toFixed(2);
console.log(
  `requests at ${rate}/s: ${line(quiet)} alone; ${line(busy)} beside ${queries.length} queries (${line(queries)} each)`,
);
console.log(`added: p50 ${added(0.5)} ms, p99 ${added(0.99)} ms (wanted: at most ${P99_ADDED_MS_MAX} ms at p99)`);
const after = [...cpuByThread(weir.pid)].map(([name, spent]) => [name, spent - (before.get(name) ?? 0)] as const);
console.log(
  `processor: ${after
    .filter(([, spent]) => spent > 0.05)
    .map(([name, spent]) => `${name} ${spent.toFixed(1)} s`)
    .join(", ")}`,
);
agent.destroy();
server.closeAllConnections();
server.close();

function line(times: readonly number[]): string {
  return `p50 ${quantile(times, 0.5).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(2)} ms`;
}
