/**
 * Nodes on one libSQL server: what each passes and how fast the server takes its records, beside one node with a file;
 * and a server that is gone for a while under load. Every request that got a response must be in the database afterwards.
 *
 * Upstream: nginx, with responses of 600 bytes; load: wrk with POST bodies of 600 bytes; server: a real sqld. All share the cores.
 * Run: `bun bench/nodes.ts [--seconds 8] [--away 60]`; needs nginx, wrk and sqld.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Sqld, startSqld } from "../test/e2e/sqld.ts";
import { callApi, gatewayHeaders, startWeir, type Weir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { startProvider } from "./load/nginx.ts";
import { type Measured, RESPONSE_BODY, script, wrk } from "./load/wrk.ts";
import { cpuByThread, pause } from "./measured.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "8" }, away: { type: "string", default: "60" } },
});
const [seconds, awaySeconds] = [Number(values.seconds), Number(values.away)];
const CONNECTIONS = 16;
const LAG_MS_MAX = 600_000;
const directory = mkdtempSync(join(tmpdir(), "weir-nodes-"));

async function countRecords(weir: Weir): Promise<number> {
  const filter = { request_response_rmt: { status: { equals: 200 } } };
  const response = await callApi(weir, "/v1/request/count/query", { method: "POST", body: JSON.stringify({ filter }) });
  return response.status === 200 ? ((await response.json()) as { data: number }).data : -1;
}

/** Waits for all records; one more per connection may have passed than wrk saw responses. @returns how long it took, in milliseconds. */
async function recorded(weir: Weir, expected: number, everyMs = 100): Promise<number> {
  const startedMs = performance.now();
  let count = 0;
  const complete = async () => {
    count = await countRecords(weir);
    return count >= expected;
  };
  await until(complete, LAG_MS_MAX, () => `${count} of ${expected} recorded`, everyMs);
  return performance.now() - startedMs;
}

const lua = (port: number) =>
  script(directory, "weir", gatewayHeaders(`http://127.0.0.1:${port}`, { Authorization: "Bearer sk-bench" }));
const load = (nodes: readonly Weir[], port: number, forSeconds: number, connections = CONNECTIONS) =>
  Promise.all(nodes.map((node) => wrk(node.gatewayPort, connections, lua(port), forSeconds)));
const sum = (all: readonly Measured[], pick: (each: Measured) => number) => all.reduce((n, each) => n + pick(each), 0);

async function measure(name: string, nodes: readonly Weir[], port: number): Promise<void> {
  const known = await countRecords(nodes[0]!);
  const warm = await load(nodes, port, 2);
  const before = known + sum(warm, ({ responses }) => responses);
  await recorded(nodes[0]!, before);
  const cpu = nodes.map(({ pid }) => cpuByThread(pid));
  const startedMs = performance.now();
  const measured = await load(nodes, port, seconds);
  const responses = sum(measured, (each) => each.responses);
  const lagMs = await recorded(nodes[0]!, before + responses);
  const rows = (responses * 1_000) / (performance.now() - startedMs);
  const us = nodes.map((node, at) => {
    const used = [...cpuByThread(node.pid)].map(([thread, s]) => s - (cpu[at]!.get(thread) ?? 0));
    return ((used.reduce((n, each) => n + each, 0) * 1e6) / measured[at]!.responses).toFixed(0);
  });
  const each = measured.map(({ requestsPerSecond, p99Ms }) => `${requestsPerSecond.toFixed(0)}/s (p99 ${p99Ms} ms)`);
  console.log(
    `${name.padEnd(24)} ${each.join(" + ")}; ${us.join(" + ")} us of CPU a request; all ${responses} recorded ${lagMs.toFixed(0)} ms after the end: ${rows.toFixed(0)} rows/s`,
  );
}

/** The server is killed in the middle of the load, and restarted. */
async function outage(sqld: Sqld, nodes: readonly Weir[], port: number): Promise<void> {
  const before = await countRecords(nodes[0]!);
  // Little of it: what is measured is whether anything is lost.
  const under = load(nodes, port, awaySeconds + 6, 1);
  await pause(3_000);
  await sqld.kill();
  await pause(awaySeconds * 1_000);
  await sqld.start();
  const measured = await under;
  const responses = sum(measured, (each) => each.responses);
  const failed = sum(measured, (each) => each.failed);
  // Counting is a scan: done often it would hold up what it waits for.
  const lagMs = await recorded(nodes[1]!, before + responses, 2_000);
  console.log(
    `server away for ${awaySeconds} s: ${responses} requests answered, ${failed} failed; ${responses} records, the last ${(lagMs / 1000).toFixed(1)} s after the end of the load`,
  );
}

const provider = await startProvider(directory, RESPONSE_BODY);
const sqld = await startSqld();
try {
  const file = await startWeir();
  await measure("one node, a file", [file], provider.port);
  await file.stop();
  const env = { WEIR_DATABASE_URL: sqld.url };
  const nodes = [await startWeir({ env }), await startWeir({ env })];
  await measure("one node, sqld", nodes.slice(0, 1), provider.port);
  await measure("two nodes, sqld", nodes, provider.port);
  await outage(sqld, nodes, provider.port);
  for (const node of nodes) await node.stop();
} finally {
  await sqld[Symbol.asyncDispose]();
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
}
