/**
 * Requests per second with everything recorded, beside nginx's bare `proxy_pass`, in the same run on the same machine.
 *
 * Upstream: nginx answering 600 bytes. Load: wrk, 32 connections, POST bodies of 600 bytes. Everything that wrk saw
 * answered must be in the database afterwards. Also the latency that Weir adds at one connection.
 * Both are warmed up first: a fresh service spends 10 to 40 us of processor time a request on compiling its hot code.
 * Run: `bun bench/throughput.ts [--seconds 8] [--rounds 3] [--warm-up 5]`; needs nginx and wrk. Measures the program from source
 * and, where `dist/weir` exists, the binary.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "libsql";
import { gatewayHeaders, ROOT, residentMb, startWeir, until, type Weir } from "../test/e2e/weir.ts";
import { cpuByThread, quantile } from "./figures.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "5" },
  },
});
const [seconds, rounds, warmUp] = [Number(values.seconds), Number(values.rounds), Number(values["warm-up"])];
const directory = mkdtempSync(join(tmpdir(), "weir-throughput-"));

/** JSON of exactly 600 bytes: `fill` is given the text that makes it so. */
function json600(fill: (text: string) => object): string {
  const bare = JSON.stringify(fill("")).length;
  return JSON.stringify(fill("water ".repeat(100).slice(0, 600 - bare)));
}
const ASKED = json600((content) => ({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }));
const ANSWERED = json600((content) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "gpt-4o-mini-2024-07-18",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 110, completion_tokens: 60, total_tokens: 170 },
}));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** One nginx with one worker in the foreground. */
async function startNginx(name: string, port: number, http: string): Promise<ChildProcess> {
  const home = join(directory, name);
  mkdirSync(home);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${home}/${kind};`)
    .join(" ");
  writeFileSync(
    join(home, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${home}/pid; error_log ${home}/error.log;
     events { worker_connections 4096; }
     http { access_log off; keepalive_requests 1000000000; ${temporary} ${http} }`,
  );
  const child = spawn("nginx", ["-c", join(home, "nginx.conf"), "-p", home], { stdio: "ignore" });
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        (answer) => answer.ok,
        () => false,
      ),
    5_000,
    () => `nginx ${name} does not answer`,
  );
  return child;
}

interface Measured {
  readonly requestsPerSecond: number;
  readonly answered: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

function script(name: string, headers: Readonly<Record<string, string>>): string {
  const path = join(directory, `${name}.lua`);
  const lines = Object.entries({ "Content-Type": "application/json", ...headers }).map(
    ([key, value]) => `wrk.headers[${JSON.stringify(key)}] = ${JSON.stringify(value)}`,
  );
  writeFileSync(path, `wrk.method = "POST"\nwrk.body = [==[${ASKED}]==]\n${lines.join("\n")}\n`);
  return path;
}

/** Runs wrk without blocking this process. */
async function wrk(port: number, connections: number, lua: string, forSeconds: number): Promise<Measured> {
  const threads = Math.min(2, connections);
  const words = [
    `-t${threads}`,
    `-c${connections}`,
    `-d${forSeconds}s`,
    "--latency",
    "-s",
    lua,
    `http://127.0.0.1:${port}/v1/chat/completions`,
  ];
  const child = spawn("wrk", words, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  await once(child, "close");
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1) ?? [];
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    answered: Number(/(\d+) requests in/.exec(text)?.[1]),
    failed:
      Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0) +
      errors.reduce((sum, count) => sum + Number(count), 0),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(text)),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(text)),
  };
}

function milliseconds(found: RegExpExecArray | null): number {
  return Number(found?.[1]) * ({ us: 0.001, ms: 1, s: 1_000 }[found?.[2] ?? ""] ?? Number.NaN);
}

function countRecords(weir: Weir): number {
  const database = new Database(join(weir.dataDirectory, "weir.db"), { readonly: true });
  try {
    const row = database.prepare("select count(*) as n from requests where response_status = 200").get() as {
      n: number;
    };
    return row.n;
  } finally {
    database.close();
  }
}

const recordedAll = (weir: Weir, expected: number) =>
  until(
    () => countRecords(weir) >= expected,
    60_000,
    () => `${countRecords(weir)} of ${expected} recorded`,
    100,
  );

/** One run against a fresh service, warmed up: the figures of wrk, then what is in the database. */
async function measureWeir(name: string, command: readonly string[], upstreamPort: number): Promise<Measured> {
  const weir = await startWeir({ command });
  const lua = script("weir", gatewayHeaders(`http://127.0.0.1:${upstreamPort}`, { Authorization: "Bearer sk-bench" }));
  const warm = await wrk(weir.gatewayPort, 32, lua, warmUp);
  // What the warm-up left to record would be counted as a cost of what is measured.
  await recordedAll(weir, warm.answered);
  const cpu = cpuByThread(weir.pid);
  const measured = await wrk(weir.gatewayPort, 32, lua, seconds);
  const answeredMs = performance.now();
  const loadedMb = residentMb(weir.pid);
  const expected = warm.answered + measured.answered;
  await recordedAll(weir, expected);
  const lagMs = performance.now() - answeredMs;
  const perRequest = [...cpuByThread(weir.pid)]
    .map(([thread, used]) => [thread, ((used - (cpu.get(thread) ?? 0)) * 1e6) / measured.answered] as const)
    .filter(([, us]) => us >= 1)
    .map(([thread, us]) => `${thread} ${us.toFixed(0)}`);
  console.log(
    `${name.padEnd(14)} ${line(measured)}; recorded ${countRecords(weir)} of ${expected} answered, ${lagMs.toFixed(0)} ms after the end; ${loadedMb.toFixed(0)} MB`,
  );
  console.log(`${"".padEnd(14)} us of CPU a request, by thread: ${perRequest.join(", ")}`);
  await weir.stop();
  return measured;
}

const line = ({ requestsPerSecond, failed, p50Ms, p99Ms }: Measured) =>
  `${requestsPerSecond.toFixed(0).padStart(7)} requests/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, failed ${failed}`;

async function measureLatency(name: string, command: readonly string[], upstreamPort: number): Promise<void> {
  const weir = await startWeir({ command });
  const lua = script("weir", gatewayHeaders(`http://127.0.0.1:${upstreamPort}`, { Authorization: "Bearer sk-bench" }));
  await wrk(weir.gatewayPort, 1, lua, 2);
  const direct = await wrk(upstreamPort, 1, script("direct", {}), 4);
  const through = await wrk(weir.gatewayPort, 1, lua, 4);
  console.log(
    `${name.padEnd(14)} one connection: direct p50 ${direct.p50Ms.toFixed(3)} ms, through p50 ${through.p50Ms.toFixed(3)} ms, ` +
      `added p50 ${(through.p50Ms - direct.p50Ms).toFixed(3)} ms, p99 ${(through.p99Ms - direct.p99Ms).toFixed(3)} ms`,
  );
  await weir.stop();
}

const [upstreamPort, proxyPort] = [await freePort(), await freePort()];
const children = [
  await startNginx(
    "upstream",
    upstreamPort,
    `server { listen 127.0.0.1:${upstreamPort}; location / { default_type application/json; return 200 '${ANSWERED}'; } }`,
  ),
  await startNginx(
    "proxy",
    proxyPort,
    `upstream provider { server 127.0.0.1:${upstreamPort}; keepalive 64; }
     server { listen 127.0.0.1:${proxyPort}; location / { proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  ),
];
const binary = join(ROOT, "dist/weir");
const programs: Record<string, string[]> = { "weir, source": [process.execPath, join(ROOT, "src/main.ts")] };
if (existsSync(binary)) programs["weir, binary"] = [binary];

try {
  console.log(
    `${execFileSync("nproc", { encoding: "utf8" }).trim()} cores, ${rounds} rounds of ${seconds} s after ${warmUp} s of warm-up, 32 connections, 600-byte bodies`,
  );
  const results: Record<string, number[]> = { nginx: [] };
  for (let round = 0; round < rounds; round += 1) {
    await wrk(proxyPort, 32, script("proxy", {}), Math.min(1, warmUp));
    const nginx = await wrk(proxyPort, 32, script("proxy", {}), seconds);
    console.log(`${"nginx proxy".padEnd(14)} ${line(nginx)}`);
    results["nginx"]!.push(nginx.requestsPerSecond);
    for (const [name, command] of Object.entries(programs)) {
      const { requestsPerSecond } = await measureWeir(name, command, upstreamPort);
      results[name] = [...(results[name] ?? []), requestsPerSecond];
    }
  }
  const nginx = quantile(results["nginx"]!, 0.5);
  for (const name of Object.keys(programs)) {
    const weir = quantile(results[name]!, 0.5);
    console.log(
      `${name}: median ${weir.toFixed(0)} of nginx's ${nginx.toFixed(0)} requests/s: ratio ${(weir / nginx).toFixed(3)}`,
    );
  }
  for (const [name, command] of Object.entries(programs)) await measureLatency(name, command, upstreamPort);
} finally {
  for (const child of children) child.kill("SIGQUIT");
  await Promise.all(children.map((child) => once(child, "exit")));
  rmSync(directory, { recursive: true, force: true });
}
