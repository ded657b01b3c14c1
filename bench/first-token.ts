/**
 * Time to the first token of a thousand streams that are open at once: in pass-through, and translated at the unified address.
 *
 * Claim: a translated stream adds at most 5 ms at p99. Each turn has a provider, a service and clients of its own; the kinds take
 * turns, and the other order in every second round. The time is the client's, from its request to the first text. On a
 * machine with other work it is mostly the wait for a core, which both kinds have: the load is written beside the result.
 *
 * Run: `bun bench/first-token.ts [--streams 1000] [--rounds 2]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gatewayHeaders, KEY, startWeir } from "../test/e2e/weir.ts";
import { git } from "./load/checkout.ts";
import { quantile } from "./measured.ts";

const { values } = parseArgs({
  options: { streams: { type: "string", default: "1000" }, rounds: { type: "string", default: "2" } },
});
const [count, rounds] = [Number(values.streams), Number(values.rounds)];
const OPEN_MS = 5_000;

/** One kind of stream at one service. @returns milliseconds to each first token. */
async function turn(kind: "pass-through" | "translated"): Promise<number[]> {
  const program = join(import.meta.dirname, "unified-streams.ts");
  const provider = spawn(process.execPath, [program, "--provider"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(provider.stdout, "data");
  const origin = `http://127.0.0.1:${Number(String(line))}`;
  const weir = await startWeir();
  try {
    const key = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ name: "a", provider: "anthropic", api_key: "k", private: true, base_url: origin });
    const made = await fetch(`${weir.api}/v1/credentials`, { method: "POST", headers: key, body });
    if (!made.ok) throw new Error(`the credential was refused: ${await made.text()}`);
    const isPassed = kind === "pass-through";
    const path = isPassed ? "/v1/messages" : "/v1/chat/completions";
    const headers = isPassed
      ? { ...gatewayHeaders(origin, { "x-api-key": "k" }), "Content-Type": "application/json" }
      : key;
    const model = isPassed ? "claude-1" : "anthropic/claude-1";
    const messages = [{ role: "user", content: `long of ${count}` }];
    const stream = JSON.stringify({ model, max_tokens: 100, stream: true, messages });
    const one = async (at: number): Promise<number> => {
      await sleep((OPEN_MS * at) / count);
      const startedAt = performance.now();
      const sent = httpRequest(weir.gateway + path, { method: "POST", agent: false, headers });
      sent.end(stream);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      let firstMs = Number.NaN;
      for await (const bytes of response)
        if (Number.isNaN(firstMs) && String(bytes).includes("@")) firstMs = performance.now() - startedAt;
      if (response.statusCode !== 200 || Number.isNaN(firstMs))
        throw new Error(`a stream ended with ${response.statusCode}`);
      return firstMs;
    };
    return await Promise.all(Array.from({ length: count }, (_, at) => one(at)));
  } finally {
    await weir.stop();
    provider.kill();
  }
}

const turns: { readonly kind: string; readonly load: number; readonly p50Ms: number; readonly p99Ms: number }[] = [];
for (let round = 0; round < rounds; round++) {
  const kinds = ["pass-through", "translated"] as const;
  for (const kind of round % 2 ? kinds.toReversed() : kinds) {
    const times = await turn(kind);
    const own = { kind, load: loadavg()[0]!, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
    turns.push(own);
    console.log(
      `${count} streams, ${kind.padEnd(12)}: first token after ${own.p50Ms.toFixed(1)} ms at the median, ${own.p99Ms.toFixed(1)} ms at p99; load ${own.load.toFixed(0)}`,
    );
  }
}
const result = { commit: git("describe", "--always", "--dirty"), date: new Date().toISOString(), count, turns };
writeFileSync(new URL("results/first-token.json", import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
