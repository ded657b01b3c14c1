/**
 * Translated streams of the unified address: a thousand at once, and a steady one beside large requests.
 *
 * Claim: 1,000 translated streams that are open at once complete, and each has its record; the status is 1 where one is missing.
 *
 * Printed: how late the chunks of a steady stream are alone, beside translated requests of 500 kB, translated responses and
 * embeddings of 500 kB and more, and the same requests in pass-through, by turns; and what each takes of the thread that relays.
 * It parses none of them: what it spends is reading, copying and recording. On a machine with other work lateness is mostly that work's: compare it with the time that the
 * relaying thread waits for a core.
 *
 * Run: `bun bench/unified-streams.ts [--streams 1000] [--rounds 5]`; Linux only.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gatewayHeaders, KEY, queryIds, startWeir, until } from "../test/e2e/weir.ts";
import { quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    provider: { type: "boolean", default: false },
    streams: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
  },
});
const now = () => performance.timeOrigin + performance.now();
const OPEN_MS = 5_000;
/** Streams go on so long after the last has been opened, and in all at most so long. */
const AFTER_MS = 1_000;
const STREAM_MS_MAX = 120_000;
const STEADY_MS = 3_000;
const STEADY_EVERY_MS = 5;
const LARGE_EVERY_MS = 150;
const LARGE_A_ROUND = 20;

const TEXTS = 64;
const VECTORS = JSON.stringify({
  embeddings: Array.from({ length: TEXTS }, (_, text) => ({
    values: Array.from({ length: 768 }, (_, at) => Math.sin(text * 768 + at) / 3),
  })),
});
const LONG_RESPONSE = "Paris. ".repeat(71_000);

if (values.provider) provide();
else await measure();

/** An Anthropic that writes the time into its deltas; `steady` and `long` in a prompt say how often they come. */
function provide(): void {
  let open = 0;
  let most = 0;
  let allSince: number | undefined;
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-1", stop_sequence: null };
  const usage = { input_tokens: 5, output_tokens: 3 };
  const server = createServer(async (incoming, response) => {
    if (incoming.method === "GET") return void response.end(String(most));
    let text = "";
    incoming.setEncoding("utf8");
    for await (const part of incoming) text += part;
    if (incoming.url?.includes("batchEmbedContents")) {
      response.setHeader("content-type", "application/json");
      return void response.end(VECTORS);
    }
    if (!/"stream": ?true/.test(text)) {
      const content = [{ type: "text", text: text.includes("a long answer") ? LONG_RESPONSE : "Paris." }];
      response.setHeader("content-type", "application/json");
      return void response.end(JSON.stringify({ ...message, content, stop_reason: "end_turn", usage }));
    }
    const isSteady = text.includes("steady");
    const wanted = Number(/long of (\d+)/.exec(text)?.[1] ?? 0);
    const started = now();
    most = Math.max(most, ++open);
    if (most === wanted) allSince ??= now();
    const isOver = () =>
      isSteady
        ? now() - started > STEADY_MS
        : now() - (allSince ?? Number.POSITIVE_INFINITY) > AFTER_MS || now() - started > STREAM_MS_MAX;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event("message_start", { message: { ...message, content: [], stop_reason: null, usage } }));
    response.write(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    for (; !isOver() && !response.destroyed; await sleep(isSteady ? STEADY_EVERY_MS : 500))
      response.write(event("content_block_delta", { index: 0, delta: { type: "text_delta", text: `@${now()} ` } }));
    response.write(event("content_block_stop", { index: 0 }));
    response.write(event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }));
    response.end(event("message_stop", {}));
    open--;
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
    console.log((server.address() as AddressInfo).port),
  );
}

async function measure(): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, "--provider"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const origin = `http://127.0.0.1:${Number(String(line))}`;
  const weir = await startWeir();
  for (const provider of ["anthropic", "google"]) {
    const made = await fetch(`${weir.api}/v1/credentials`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: provider, provider, api_key: "k", private: true, base_url: origin }),
    });
    if (!made.ok) throw new Error(`the credential was refused: ${await made.text()}`);
  }

  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const sent = httpRequest(weir.gateway + path, {
      method: "POST",
      agent: false,
      headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json", ...headers },
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  };
  const chat = (content: string, stream: boolean) =>
    JSON.stringify({ model: "anthropic/claude-1", max_tokens: 100, stream, messages: [{ role: "user", content }] });
  const COMPLETIONS = "/v1/chat/completions";

  // A thousand at once.
  const count = Number(values.streams);
  const ids: string[] = [];
  const failed = new Map<string, number>();
  const note = (error: unknown) => failed.set(String(error), (failed.get(String(error)) ?? 0) + 1);
  const oneStream = async (at: number) => {
    await sleep((OPEN_MS * at) / count);
    const response = await post(COMPLETIONS, chat(`long of ${count}`, true));
    let text = "";
    for await (const bytes of response) text = (text + bytes).slice(-200);
    if (response.statusCode !== 200 || !text.includes("data: [DONE]"))
      note(`${response.statusCode} ${text.replace(/[0-9a-f-]{36}/, "…")}`);
    else ids.push(String(response.headers["gateway-id"]));
  };
  await Promise.all(Array.from({ length: count }, (_, at) => oneStream(at).catch(note)));
  for (const [error, times] of failed) console.log(`${times} × ${error}`);
  const atOnce = Number(await (await fetch(origin)).text());
  let recorded = 0;
  await until(
    async () => {
      const records = await queryIds(weir, ids);
      recorded = records.filter((each) => each["response_status"] === 200).length;
      return recorded === ids.length;
    },
    60_000,
    () => `${recorded} of ${ids.length} are recorded`,
  ).catch((error: unknown) => console.log(String(error)));
  console.log(`${count} translated streams: ${atOnce} open at once, ${ids.length} complete, ${recorded} recorded`);

  // A steady one beside large requests.
  const parts = Array.from({ length: 100 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: "What? ".repeat(833),
  }));
  const large = JSON.stringify({
    model: "anthropic/claude-1",
    max_tokens: 100,
    messages: [...parts, { role: "user", content: "x" }],
  });
  const embeddings = JSON.stringify({
    model: "google/gemini-embedding-001",
    input: Array.from({ length: TEXTS }, () => "What? ".repeat(1_300)),
  });
  const through = { path: "/v1/messages", headers: gatewayHeaders(origin, { "x-api-key": "k" }) };
  const KINDS = {
    alone: undefined,
    "translated requests": () => post(COMPLETIONS, large),
    "translated answers": () => post(COMPLETIONS, chat("a long answer", false)),
    "translated embeddings": () => post("/v1/embeddings", embeddings),
    "requests in pass-through": () => post(through.path, large, through.headers),
  } as const;
  /** Of the thread that relays: on a core, and waiting for one. */
  const times = () => readFileSync(`/proc/${weir.pid}/task/${weir.pid}/schedstat`, "utf8").split(" ").map(Number);
  const seen = new Map<string, { late: number[]; longest: number[]; waitMs: number[] }>();
  await (await post(COMPLETIONS, large)).resume(); // the thread that translates starts with the first
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, send] of Object.entries(KINDS)) {
      const [, waitBefore = 0] = times();
      const timer = send && setInterval(() => void send().then((each) => each.resume()), LARGE_EVERY_MS);
      const late: number[] = [];
      let rest = "";
      for await (const bytes of await post(COMPLETIONS, chat("steady", true))) {
        rest += bytes;
        for (const [, at] of rest.matchAll(/@(\d+(?:\.\d+)?) /g)) late.push(now() - Number(at));
        rest = rest.slice(rest.lastIndexOf("@") + 1);
      }
      clearInterval(timer);
      await sleep(300);
      const [, wait = 0] = times();
      const own = seen.get(name) ?? { late: [], longest: [], waitMs: [] };
      own.waitMs.push((wait - waitBefore) / 1e6);
      own.late.push(...late);
      own.longest.push(Math.max(...late));
      seen.set(name, own);
    }
  }
  // What a large request takes of the relaying thread, one after the other.
  const cpu = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, send] of Object.entries(KINDS)) {
      if (send === undefined) continue;
      const [before = 0] = times();
      for (let at = 0; at < LARGE_A_ROUND; at++) for await (const _bytes of await send());
      const [after = 0] = times();
      cpu.set(name, [...(cpu.get(name) ?? []), (after - before) / LARGE_A_ROUND / 1e6]);
    }
  }
  const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b);
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const figures = [...seen].map(([name, { late, longest, waitMs }]) => {
    const cpuMs = cpu.get(name) ?? [];
    const all = sorted(late);
    const own = {
      name,
      medianMs: quantile(all, 0.5),
      p99Ms: quantile(all, 0.99),
      longestMs: quantile(sorted(longest), 0.5),
      waitMs: quantile(sorted(waitMs), 0.5),
      cpuMs: cpuMs.length === 0 ? undefined : quantile(sorted(cpuMs), 0.5),
    };
    const spends = own.cpuMs === undefined ? "" : `; ${ms(own.cpuMs)} of CPU on the relaying thread a request`;
    console.log(
      `a steady stream, ${name === "alone" ? name : `beside 500 kB ${name}`}: late by ${ms(own.medianMs)} at the median, ${ms(own.p99Ms)} at p99, at most ${ms(own.longestMs)} a round, in which that thread waits ${ms(own.waitMs)} for a processor${spends}`,
    );
    return own;
  });
  await weir.stop();
  child.kill();
  if (ids.length < count || recorded < count) process.exitCode = 1;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"]).toString().trim();
  const streams = { count, atOnce, complete: ids.length, recorded };
  writeFileSync(
    new URL("results/unified-streams.json", import.meta.url),
    `${JSON.stringify({ commit, date: new Date().toISOString(), large: large.length, streams, figures }, null, 2)}\n`,
  );
}
