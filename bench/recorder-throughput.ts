import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { readExchange } from "../src/mapping/read-exchange.ts";
import { pluginFolders } from "../src/plugin-host/files/load.ts";
import { loadRegistry } from "../src/plugin-host/providers/registry.ts";
import { createRecorder } from "../src/recorder/create-recorder.ts";
import { openSpool } from "../src/spool/writer.ts";

/**
 * How fast the recorder brings a spool into the database, with nothing else going on.
 *
 * `bun bench/recorder-throughput.ts [records] [bytes of each request body] [records before the clock starts]` writes a
 * spool of chat exchanges first, then times the recorder on it, once its code is compiled. Prints records a second, and
 * CPU time per record: only the latter says something on a machine that others use too.
 */
const records = Number(process.argv[2] ?? 100_000);
const bodyBytes = Number(process.argv[3] ?? 600);
const warmUp = Number(process.argv[4] ?? 50_000);
const total = warmUp + records;

const directory = mkdtempSync(join(tmpdir(), "weir-bench-"));
const log = createLog({ level: "warn", format: "text" });
const config: Config = { ...(Value.Default(CONFIG_SCHEMA, {}) as Config), data_dir: directory };
const registry = await loadRegistry({ directories: pluginFolders("provider", config), log });

const spool = openSpool({ directory: join(directory, "spool"), sync: "second", log });
const request = Buffer.from(
  JSON.stringify({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "x".repeat(Math.max(0, bodyBytes - 80)) }],
  }),
);
const response = Buffer.from(
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_790_000_000,
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, message: { role: "assistant", content: "y".repeat(200) }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  }),
);
const headers = ["Host", "gateway", "Content-Type", "application/json", "User-Agent", "bench", "Authorization", "***"];
for (let i = 0; i < total; i++) {
  const id = Bun.randomUUIDv7();
  const time = Date.now();
  spool.begin(id, {
    time,
    method: "POST",
    path: "/v1/chat/completions",
    target: "https://api.openai.com",
    provider: "OPENAI",
    organization: "0198d000-0000-7000-8000-000000000001",
    keyId: "0198d000-0000-7000-8000-000000000002",
    keyName: "bench",
    authHash: "ab".repeat(32),
    headers,
    gateway: ["Gateway-Property-App", `app-${i % 20}`, "Gateway-User-Id", `user-${i % 1_000}`],
    omitRequest: false,
    omitResponse: false,
  });
  spool.requestChunk(id, request);
  spool.head(id, { time: time + 5, status: 200, headers: ["Content-Type", "application/json", "Date", "now"] });
  spool.responseChunk(id, response);
  spool.end(id, {
    time: time + 9,
    outcome: "complete",
    forwardedAt: time + 1,
    firstByteAt: time + 5,
    requestBytes: request.byteLength,
    responseBytes: response.byteLength,
  });
}
await spool.close();
const megabytes = spool.stats.bytesWritten / 1e6;

const recorder = createRecorder({ config, log, readExchange, provider: (name) => registry.providerByName(name) });
await recorder.ready();
const recordedBy = async (count: number) => {
  while ((await recorder.status()).recorded < count) await new Promise((resolve) => setTimeout(resolve, 5));
};
await recordedBy(warmUp);
const before = (await recorder.status()).recorded;
const cpu = process.cpuUsage();
const started = performance.now();
await recordedBy(total);
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
await recorder.stop();
rmSync(directory, { recursive: true, force: true });

const measured = total - before;
console.log(`records/s ${Math.round(measured / seconds)}`);
console.log(`spool MB/s ${((megabytes * measured) / total / seconds).toFixed(1)}`);
console.log(`cpu µs/record ${((user + system) / measured).toFixed(1)} (system ${(system / measured).toFixed(1)})`);
console.log(`memory MB ${Math.round(process.memoryUsage().rss / 1e6)}`);
