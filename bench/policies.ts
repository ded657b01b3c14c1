/**
 * Microseconds of CPU of the gateway's thread that the built-in plugins cost a request: what plugins see of it is made, all
 * hooks are called, what they need included, the end is reported, and the journals are written, in turns of 50 requests.
 *
 * Claim: at most 5 µs for a request without a policy, at most 20 µs for one with. Run: `bun bench/policies.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threadCpuUsage } from "node:process";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/config/load.ts";
import { HeaderReader } from "../src/gateway/headers/headers.ts";
import { type RequestFacts, SeenRequest } from "../src/gateway/seen-request.ts";
import { createLog } from "../src/log.ts";
import { Hooks } from "../src/plugin-host/hooks/hooks.ts";
import { Entries } from "../src/plugin-host/host/entries.ts";
import { createPluginHost } from "../src/plugin-host/host/host.ts";
import { openHooks } from "../src/plugin-host/live.ts";
import { uuidv7 } from "../src/runtime/uuid.ts";

const { values } = parseArgs({ options: { requests: { type: "string", default: "200000" } } });
const REQUESTS = Number(values.requests);
const TURN = 50;

const directory = mkdtempSync(join(tmpdir(), "weir-policies-"));
const env = { WEIR_DATA_DIR: directory, WEIR_APPROVED_DOMAINS: "llm.acme.test" };
const { config } = loadConfig({ env, workingDirectory: directory, file: null });
const log = createLog({ level: "error", format: "text" });
const entries = new Entries({ read: async () => [], write: async () => {}, log });
const usageOf = async (ids: readonly string[]) => ids.map((requestId) => ({ requestId, cost: 1e-6, totalTokens: 100 }));
const host = createPluginHost({
  config,
  log,
  entries,
  usageOf,
  organizationOfKey: () => undefined,
  providerHosts: () => [],
});
const live = await openHooks({ config, log, host });
const reader = new HeaderReader([]);
const sent = [
  "Host",
  "weir",
  "Gateway-Auth",
  "Bearer x",
  "Gateway-Target-Url",
  "https://llm.acme.test",
  "Accept",
  "*/*",
];
const usual = ["Content-Type", "application/json", "User-Agent", "bench", "Authorization", "Bearer y"];

/** Microseconds a request, of `REQUESTS` that carry these headers. */
async function measure(hooks: Hooks, more: readonly string[], owner?: string): Promise<number> {
  const rawHeaders = [...sent, ...usual, ...more];
  const { gateway } = reader.read(rawHeaders);
  const facts: Omit<RequestFacts, "id"> = {
    method: "POST",
    path: "/v1/chat/completions",
    target: { origin: "https://llm.acme.test", host: "llm.acme.test", owner },
    provider: "CUSTOM",
    organizationId: "o",
    keyId: "k",
    keyModels: null,
    shown: rawHeaders,
    gateway,
  };
  const end = { status: 200, outcome: "complete", forwarded: true } as const;
  const startedUs = cpuUs();
  for (let done = 0; done < REQUESTS; done += TURN) {
    for (let at = 0; at < TURN; at++) {
      const id = uuidv7();
      const request = new SeenRequest({ ...facts, id });
      hooks.needs(request);
      if (hooks.has("onRequest")) hooks.onRequest(request);
      if (hooks.has("onForward")) await hooks.onForward(request);
      if (hooks.has("onEnd")) hooks.onEnd({ id, ...end });
    }
    // The journals are written at the end of the turn, which counts too.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (cpuUs() - startedUs) / REQUESTS;
}

/** Of this thread: other programs on the machine do not count. */
function cpuUs(): number {
  const { user, system } = threadCpuUsage();
  return user + system;
}

const none = new Hooks(log);
const policy = (text: string) => ["Gateway-RateLimit-Policy", text];
const user = ["Gateway-User-Id", "ann"];
const cases: readonly [string, Hooks, readonly string[], string?][] = [
  ["no plugins at all", none, []],
  ["a provider's own host, no policy", live.hooks, [], "ACME"],
  ["an approved domain, no policy", live.hooks, []],
  ["one policy of requests", live.hooks, policy("1000000000;w=3600")],
  ["one policy of requests by user", live.hooks, [...policy("1000000000;w=3600;s=user"), ...user]],
  [
    "three policies, one of tokens",
    live.hooks,
    [...policy("1000000000;w=60,900000000;w=3600;s=user,1000000000000;w=86400;u=tokens"), ...user],
  ],
  ["a policy that is spent", live.hooks, policy("0;w=60")],
];
for (const [name, hooks, headers, owner] of cases) {
  await measure(hooks, headers, owner);
  console.log(`${name}: ${(await measure(hooks, headers, owner)).toFixed(2)} µs a request`);
}
await live.close();
host.close();
rmSync(directory, { recursive: true, force: true });
