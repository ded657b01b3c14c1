/**
 * The unified address beside pass-through, in the same run on the same machine, everything recorded: requests a second of
 * a 2 kB chat request that keeps its shape, and of one that is translated to Anthropic's Messages and back; and the
 * latency at one connection.
 *
 * Claims: the same shape has at least 60 % of pass-through's requests a second and adds at most 0.3 ms at the median; a
 * translated request at most 1 ms. Rounds of all kinds follow one another, so that a change of the machine is a change for all.
 * Run: `bun bench/unified.ts [--seconds 6] [--rounds 3]`; needs nginx and wrk.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gatewayHeaders, KEY, startWeir, type Weir } from "../test/e2e/weir.ts";
import { quantile } from "./figures.ts";
import { startProvider } from "./load/nginx.ts";
import { script, wrk } from "./load/wrk.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "6" }, rounds: { type: "string", default: "3" } },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
const directory = mkdtempSync(join(tmpdir(), "weir-unified-"));
const TEXT = "What is the capital of France, and why? ".repeat(45);

const CHAT = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m-1",
  choices: [{ index: 0, message: { role: "assistant", content: "Paris. ".repeat(60) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 450, completion_tokens: 120, total_tokens: 570 },
});
const MESSAGE = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-1",
  content: [{ type: "text", text: "Paris. ".repeat(60) }],
  stop_reason: "end_turn",
  usage: { input_tokens: 450, output_tokens: 120 },
});

const chat = await startProvider(join(directory), CHAT);
const messages = await startProvider(directory, MESSAGE);
const weir = await startWeir({});
await addCredential(weir, { provider: "groq", base_url: `http://127.0.0.1:${chat.port}` });
await addCredential(weir, { provider: "anthropic", base_url: `http://127.0.0.1:${messages.port}` });

const key = { Authorization: `Bearer ${KEY}` };
const body = (model: string) => JSON.stringify({ model, messages: [{ role: "user", content: TEXT }], max_tokens: 200 });
const KINDS = [
  {
    name: "pass-through",
    headers: gatewayHeaders(`http://127.0.0.1:${chat.port}`, { Authorization: "Bearer x" }),
    body: body("m-1"),
  },
  { name: "same shape", headers: key, body: body("groq/m-1") },
  { name: "translated", headers: key, body: body("anthropic/claude-1") },
].map((kind) => ({ ...kind, lua: script(directory, kind.name.replace(" ", "-"), kind.headers, kind.body) }));

const rates = new Map<string, number[]>();
const medians = new Map<string, number[]>();
for (const { lua } of KINDS) await wrk(weir.gatewayPort, 32, lua, 3);
for (let round = 0; round < rounds; round++) {
  for (const { name, lua } of KINDS) {
    const many = await wrk(weir.gatewayPort, 32, lua, seconds);
    const one = await wrk(weir.gatewayPort, 1, lua, Math.max(2, seconds / 2));
    if (many.failed > 0 || one.failed > 0) throw new Error(`${name}: ${many.failed + one.failed} requests failed`);
    rates.set(name, [...(rates.get(name) ?? []), many.requestsPerSecond]);
    medians.set(name, [...(medians.get(name) ?? []), one.p50Ms]);
  }
}
await weir.stop();
chat.stop();
messages.stop();
rmSync(directory, { recursive: true });

const median = (list: readonly number[] = []) =>
  quantile(
    [...list].sort((a, b) => a - b),
    0.5,
  );
const base = { rate: median(rates.get("pass-through")), p50: median(medians.get("pass-through")) };
const figures = KINDS.map(({ name }) => {
  const rate = median(rates.get(name));
  const p50 = median(medians.get(name));
  const line = `${rate.toFixed(0).padStart(7)} requests/s, ${(rate / base.rate).toFixed(2)} of pass-through; p50 at one connection ${p50.toFixed(3)} ms, ${(p50 - base.p50).toFixed(3)} more`;
  console.log(`${name.padEnd(14)}${line}`);
  return { name, rates: rates.get(name), p50Ms: medians.get(name) };
});
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"]).toString().trim();
writeFileSync(
  new URL("results/unified.json", import.meta.url),
  `${JSON.stringify({ commit, date: new Date().toISOString(), seconds, rounds, figures }, null, 2)}\n`,
);

async function addCredential(to: Weir, more: object): Promise<void> {
  const response = await fetch(`${to.api}/v1/credentials`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: `bench-${JSON.stringify(more).length}`, api_key: "k", private: true, ...more }),
  });
  if (!response.ok) throw new Error(`the credential was refused: ${await response.text()}`);
}
