/**
 * Microseconds of CPU that a recorded request takes the gateway thread of a checkout, over sockets in memory: all that this
 * program does itself, without the system's sockets and without plugins. Heads differ in every request, nine are in a turn of
 * the event loop. `small` is pass-through with 600 bytes each way, `passed` with a 2 kB chat; `same` and
 * `translated` are that chat at the unified address. Prints one number.
 * Run by `bench/request.ts`: `bun request-in-memory.ts ROOT REQUESTS [small|passed|same|translated]`.
 */
import { EventEmitter } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threadCpuUsage } from "node:process";
import type { startGateway as StartGateway } from "../../src/gateway/start.ts";
import type { createLog as CreateLog } from "../../src/log.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type { ByteSocket, Sockets } from "../../src/runtime/http/sockets.ts";
import type { openSpool as OpenSpool } from "../../src/spool/writer.ts";
import { KEY, keySnapshot, providerIndex } from "../../test/gateway/harness.ts";
import { KINDS } from "./unified-chat.ts";

const CLIENTS = 9;
const BLOCK = 200 * CLIENTS;

const [root, count, kind = "small"] = process.argv.slice(2) as [string, string, string?];
const { platform } = (await import(join(root, "src/runtime/platform.ts"))) as { platform: { sockets: Sockets } };
const { openSpool } = (await import(join(root, "src/spool/writer.ts"))) as { openSpool: typeof OpenSpool };
const { startGateway } = (await import(join(root, "src/gateway/start.ts"))) as { startGateway: typeof StartGateway };
const { createLog } = (await import(join(root, "src/log.ts"))) as { createLog: typeof CreateLog };
const { default: groq } = (await import(join(root, "providers/groq.ts"))) as { default: ProviderPlugin };
const { default: anthropic } = (await import(join(root, "providers/anthropic.ts"))) as { default: ProviderPlugin };
const { loadConfig } = (await import(join(root, "src/config/load.ts"))) as typeof import("../../src/config/load.ts");

/** A connection whose other side is this file. */
class MemorySocket extends EventEmitter implements ByteSocket {
  readonly destroyed = false;
  readonly writable = true;
  readonly writableLength = 0;
  readonly writableNeedDrain = false;
  readonly #onWrite: (socket: MemorySocket) => void;

  constructor(onWrite: (socket: MemorySocket) => void) {
    super();
    this.#onWrite = onWrite;
  }

  write(): boolean {
    this.#onWrite(this);
    return true;
  }

  writeCopied(): boolean {
    return this.write();
  }

  end(): void {}
  destroy(): void {}
  resetAndDestroy(): void {}
  pause(): void {}
  resume(): void {}
  setNoDelay(): void {}
  setKeepAlive(): void {}
}

let responses = 0;
let waiting: MemorySocket[] = [];
let accept: (socket: ByteSocket) => void = () => {};
platform.sockets = {
  async listen(_options, onSocket) {
    accept = onSocket;
    return { port: 1, close: async () => {} };
  },
  connect() {
    const socket = new MemorySocket((self) => void waiting.push(self));
    queueMicrotask(() => socket.emit("connect"));
    return socket;
  },
};

const directory = mkdtempSync(join(tmpdir(), "weir-request-"));
const spoolDirectory = join(directory, "spool");
const env = { WEIR_DATA_DIR: directory, WEIR_ALLOW_PRIVATE_TARGETS: "127.0.0.1", WEIR_UNIFIED_PORT: "-1" };
const { config } = loadConfig({ env, workingDirectory: directory, file: null });
const chat = KINDS[kind]!;
const log = createLog({ level: "error", format: "text" });
const spool = openSpool({ directory: spoolDirectory, sync: "second", log });
const claimId = async () => true;
const registry = providerIndex(chat.isUnified ? [groq, anthropic] : []);
const tables = { credentials: chat.credentials, routes: [], prices: [] };
await startGateway({
  config,
  log,
  spool,
  claimId,
  registry: () => registry,
  keys: [keySnapshot(KEY)],
  tables: () => tables,
});
const clients = Array.from({ length: CLIENTS }, () => new MemorySocket(() => void responses++));
for (const client of clients) accept(client);

const response = `HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Fri, 27 Nov 2026 23:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: ${chat.response.length}\r\nConnection: keep-alive\r\n\r\n${chat.response}`;
const request = (number: number) =>
  Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${chat.request.length}\r\n${chat.isUnified ? `Authorization: Bearer ${KEY}` : `Gateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: http://127.0.0.1:9\r\nAuthorization: Bearer sk-bench`}\r\n` +
      `Content-Type: application/json\r\n` +
      `traceparent: 00-${number.toString(16).padStart(32, "0")}-${number.toString(16).padStart(16, "0")}-01\r\n` +
      `Gateway-User-Id: user-${number % 5_000}\r\nGateway-Property-Order: 17957-${number}\r\n\r\n${chat.request}`,
  );

const turn = () => new Promise<void>((next) => setImmediate(next));

async function serve(requests: readonly Buffer[]): Promise<void> {
  for (let at = 0; at < requests.length; at += CLIENTS) {
    const wanted = responses + CLIENTS;
    for (const [place, client] of clients.entries()) client.emit("data", requests[at + place]!);
    for (let turns = 0; responses < wanted; turns++) {
      if (turns === 1_000) throw new Error("a response is missing");
      const due = waiting;
      waiting = [];
      for (const provider of due) provider.emit("data", Buffer.from(response));
      await turn();
    }
  }
}

const costs: number[] = [];
for (let from = 0; from < Number(count); from += BLOCK) {
  const requests = Array.from({ length: BLOCK }, (_, at) => request(from + at));
  const before = threadCpuUsage();
  await serve(requests);
  const { user, system } = threadCpuUsage(before);
  costs.push((user + system) / BLOCK);
  const segments = readdirSync(spoolDirectory).filter((name) => /^\d/.test(name));
  for (const old of segments.sort().slice(0, -2)) rmSync(join(spoolDirectory, old));
}
// The first half compiles. A mean, because the system counts a thread's CPU in steps of 4 ms, a fifth of a block.
const late = costs.slice(costs.length / 2);
console.log((late.reduce((sum, cost) => sum + cost, 0) / late.length).toFixed(2));
rmSync(directory, { recursive: true, force: true });
process.exit(0);
