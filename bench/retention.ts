/**
 * How fast retention removes records, and what that costs the traffic: one run that removes what is older than a day, in
 * windows without traffic, beside requests at a steady rate, and beside as many as clients get responses to.
 *
 * Prints records removed per second and the milliseconds of proxied requests, which are also taken before the run.
 * Run: `bun bench/retention.ts [--records 300000] [--seconds 8] [--rate 200] [--clients 16]`.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Value as Schema } from "@sinclair/typebox/value";
import Libsql from "libsql";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { makeNextBlock } from "../src/engine/libsql/column-store/keep.ts";
import { openStore } from "../src/store/store.ts";
import { callApi, gatewayHeaders, startWeir } from "../test/e2e/weir.ts";
import { atSteadyRate, timedRequest } from "./load/steady.ts";
import { cpuByThread, pause, quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "300000" },
    seconds: { type: "string", default: "8" },
    rate: { type: "string", default: "200" },
    clients: { type: "string", default: "16" },
  },
});
const [records, seconds, rate, clients] = [values.records, values.seconds, values.rate, values.clients].map(Number) as [
  number,
  number,
  number,
  number,
];

const dataDirectory = mkdtempSync(join(tmpdir(), "weir-bench-retention-"));
const seed = fileURLToPath(new URL("seed.ts", import.meta.url));
execFileSync(process.execPath, [seed, "--records", String(records), "--data-dir", dataDirectory], { stdio: "ignore" });
// The jobs' thread would make these beside the first windows.
const writer = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDirectory }, "write");
while ((await makeNextBlock(writer)) !== undefined);
await writer.close();

const RESPONSE = JSON.stringify({
  id: "c-1",
  choices: [{ message: { role: "assistant", content: "deep ".repeat(100) } }],
});
const BODY = JSON.stringify({ model: "m-1", messages: [{ role: "user", content: "How deep is it? ".repeat(20) }] });
const provider = http.createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(RESPONSE));
});
await new Promise<void>((ready) => provider.listen(0, "127.0.0.1", ready));
const target = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
const weir = await startWeir({ dataDirectory });
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const headers = gatewayHeaders(target, { "Content-Type": "application/json", Authorization: "Bearer key" });
const database = new Libsql(join(dataDirectory, "weir.db"), {});
const old = database.prepare("select count(*) from requests where request_created_at < ?").raw();
const cutoff = Date.now() - 86_400_000;
const left = () => Number((old.get(cutoff) as unknown as number[])[0]);

const send = () => timedRequest(`${weir.gateway}/v1/chat/completions`, { method: "POST", agent, headers }, BODY);
const steady = () => atSteadyRate({ seconds, rate }, send);

/** One request after the other by each client. */
async function saturating(): Promise<number[]> {
  const endsAt = performance.now() + seconds * 1_000;
  const times: number[] = [];
  const one = async () => {
    while (performance.now() < endsAt) times.push(await send());
  };
  await Promise.all(Array.from({ length: clients }, one));
  return times;
}

const none = async (): Promise<number[]> => {
  await pause(seconds * 1_000);
  return [];
};

async function measure(name: string, traffic: () => Promise<number[]>): Promise<void> {
  const [before, cpuBefore, startedAt] = [left(), cpuByThread(weir.pid), performance.now()];
  const times = await traffic();
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  const after = left();
  const removed = Math.round((before - after) / tookSeconds);
  const requests = times.length === 0 ? "" : `, ${Math.round(times.length / tookSeconds)} requests/s, ${line(times)}`;
  console.log(`${name}: ${removed} records/s removed${requests}${after === 0 ? ", and nothing is left" : ""}`);
  const cpu = [...cpuByThread(weir.pid)].map(
    ([thread, spent]) => [thread, spent - (cpuBefore.get(thread) ?? 0)] as const,
  );
  const most = cpu.filter(([, spent]) => spent > 0.2).sort(([, a], [, b]) => b - a);
  console.log(`  processor: ${most.map(([thread, spent]) => `${thread} ${spent.toFixed(1)} s`).join(", ")}`);
}

function line(times: readonly number[]): string {
  return `p50 ${quantile(times, 0.5).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(2)} ms`;
}

try {
  await steady();
  await measure(`no run, ${rate} requests/s`, steady);
  await measure(`no run, ${clients} clients`, saturating);
  await callApi(weir, "/v1/retention", { method: "PUT", body: JSON.stringify({ days: 1 }) });
  await callApi(weir, "/v1/retention/run", { method: "POST" });
  for (const before = left(); left() === before; ) await pause(20);
  await measure("a run, no traffic", none);
  await measure(`a run, ${rate} requests/s`, steady);
  await measure(`a run, ${clients} clients`, saturating);
} finally {
  database.close();
  agent.destroy();
  provider.closeAllConnections();
  provider.close();
  await weir.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}
