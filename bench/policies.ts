/**
 * Microseconds of the gateway's thread that the built-in plugins cost a request: what plugins see of it is made, all
 * hooks are asked, the end is told, and the journals are written, in turns of 50 requests.
 *
 * Claim: at most 5 µs for a request without a policy, at most 20 µs for one with. Run: `bun bench/policies.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/config/load.ts";
import type { Exchange } from "../src/gateway/exchange.ts";
import { HeaderReader } from "../src/gateway/headers/headers.ts";
import { SeenRequest } from "../src/gateway/seen-request.ts";
import { createLog } from "../src/observe.ts";
import { Hooks } from "../src/plugin/hooks/hooks.ts";
import { Entries } from "../src/plugin/host/entries.ts";
import { createPluginHost } from "../src/plugin/host/host.ts";
import { openHooks } from "../src/plugin/live.ts";
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

/** Nanoseconds a request, of `REQUESTS` that carry these headers. */
async function measure(hooks: Hooks, more: readonly string[], owner?: string): Promise<number> {
  const rawHeaders = [...sent, ...usual, ...more];
  const headers = reader.read(rawHeaders);
  const target = { origin: "https://llm.acme.test", host: "llm.acme.test" };
  const incoming = { method: "POST", url: "/v1/chat/completions" };
  const asked = { incoming, headers, shown: rawHeaders, key: { id: "k", organizationId: "o" } };
  const route = { target, owner, provider: undefined, providerName: "CUSTOM" };
  const end = { status: 200, outcome: "complete", forwarded: true } as const;
  let spent = 0;
  for (let done = 0; done < REQUESTS; done += TURN) {
    const startedMs = performance.now();
    for (let at = 0; at < TURN; at++) {
      const exchange = { id: uuidv7() } as Exchange;
      const request = new SeenRequest({ ...asked, route, exchange } as unknown as ConstructorParameters<
        typeof SeenRequest
      >[0]);
      if (hooks.has("onRequest")) hooks.onRequest(request);
      if (hooks.has("onForward")) await hooks.onForward(request);
      if (hooks.has("onEnd")) hooks.onEnd({ id: exchange.id, ...end });
    }
    // The journals are written at the end of the turn, which counts too.
    await new Promise((resolve) => setImmediate(resolve));
    spent += performance.now() - startedMs;
  }
  return (spent / REQUESTS) * 1_000;
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
