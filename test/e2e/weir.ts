import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { until, within } from "../until.ts";

export { until, within };

/** Root of the repository. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/** The key that every service under test is started with. */
export const KEY = "sk-weir-us-endToEndTestsUseThisKeyOnLoopbackOnly000";

/** How the program is started: from source, or the compiled binary where `WEIR_TEST_BINARY` names it. */
export function programCommand(): [string, ...string[]] {
  const binary = process.env["WEIR_TEST_BINARY"];
  return binary ? [binary] : [process.execPath, "--smol", join(ROOT, "src/main.ts")];
}

export interface WeirOptions {
  /** Kept when the service stops; without it a temporary one is made and removed. */
  readonly dataDirectory?: string;
  /** `WEIR_*` variables beyond those that every test needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words before the command, such as `unshare -m`; the last of them must `exec` what follows. */
  readonly wrapper?: readonly string[];
  readonly command?: readonly string[];
}

/**
 * How a service computes that lives for seconds, as the 200 of a run do: `test/run.ts` asks for it. A benchmark's service, and one
 * of a test run by itself, computes as a user's does.
 */
const OF_RUN: Readonly<Record<string, string>> = process.env["WEIR_TEST_CALM"]
  ? {
      // Bun collects garbage every second even where nothing happens, a third of what an idle service costs. Without the timer
      // it still collects whenever a heap has grown.
      BUN_GC_TIMER_DISABLE: "1",
      // A function is compiled after four to eight times as many runs: a fifth of a start compiles what is hardly run again.
      BUN_JSC_thresholdForJITAfterWarmUp: "2000",
      BUN_JSC_thresholdForOptimizeAfterWarmUp: "8000",
      BUN_JSC_thresholdForOptimizeSoon: "8000",
    }
  : {};

/** A record as the API returns it. */
export type ApiRecord = { readonly [name: string]: Json };

/** The service as a child process, seen only from outside. */
export interface Weir {
  readonly gatewayPort: number;
  readonly apiPort: number;
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly gateway: string;
  readonly api: string;
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Milliseconds from the start of the process to the announcement of its listeners. */
  readonly startedMs: number;
  /** All that was written to stderr so far: the log. */
  log(): string;
  /** All that was written to stdout and stderr so far. */
  output(): string;
  /** Closes our ends of stdout and stderr, as a supervisor does that has ended. */
  stopReading(): void;
  /** Sends SIGTERM and returns the exit status. Removes a temporary data directory. */
  stop(): Promise<number>;
  /** `kill -9`; the data directory stays. */
  kill(): Promise<void>;
  /** Resolves with the exit status once the process has ended. */
  readonly exited: Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * These end what hangs. On a machine with a load of 20 a start has taken 40 s. A stop may take `drain_seconds`, and a minute
 * in which the spool is read to its end.
 */
const START_MS_MAX = 200_000;
const STOP_MS_MAX = 150_000;

export async function startWeir(options: WeirOptions = {}): Promise<Weir> {
  const temporary = options.dataDirectory === undefined;
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), "weir-e2e-"));
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "/tmp",
    WEIR_GATEWAY_PORT: "0",
    WEIR_API_PORT: "0",
    WEIR_DATA_DIR: dataDirectory,
    WEIR_BOOTSTRAP_KEY: KEY,
    WEIR_LOG_FORMAT: "json",
    WEIR_ALLOW_PRIVATE_TARGETS: "127.0.0.1",
    WEIR_APPROVED_DOMAINS: "127.0.0.1",
    ...OF_RUN,
    ...options.env,
  };
  const [program, ...words] = [...(options.wrapper ?? []), ...(options.command ?? programCommand()), "serve"] as [
    string,
  ];
  const startedAt = performance.now();
  const child = spawn(program, words, { env, cwd: dataDirectory, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  // "close", not "exit": then what it wrote last has been read too.
  const exited = once(child, "close").then(([status, signal]) => {
    running.delete(child);
    return typeof status === "number" ? status : signal === "SIGKILL" ? 137 : 1;
  });

  let log = "";
  let output = "";
  const announced = Promise.withResolvers<{ gateway: number; api: number }>();
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    const found = listenersIn(output);
    if (found !== undefined) announced.resolve(found);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
    take(chunk);
  });
  exited.then((status) => announced.reject(new Error(`weir ended with status ${status} at start:\n${output}`)));
  const limit = setTimeout(
    () => announced.reject(new Error(`weir announced no listeners in time:\n${output}`)),
    START_MS_MAX,
  );
  const ports = await announced.promise
    .catch((error: unknown) => {
      child.kill("SIGKILL"); // the caller gets no handle to stop it with
      throw error;
    })
    .finally(() => clearTimeout(limit));
  const startedMs = performance.now() - startedAt;

  const stop = async () => {
    child.kill("SIGTERM");
    const status = await within(exited, STOP_MS_MAX, () => `weir did not stop; its output:\n${output}`);
    if (temporary) rmSync(dataDirectory, { recursive: true, force: true });
    return status;
  };
  return {
    gatewayPort: ports.gateway,
    apiPort: ports.api,
    gateway: `http://127.0.0.1:${ports.gateway}`,
    api: `http://127.0.0.1:${ports.api}`,
    dataDirectory,
    env,
    pid: child.pid!,
    startedMs,
    log: () => log,
    output: () => output,
    stopReading() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    exited,
    stop,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async [Symbol.asyncDispose]() {
      if (!running.has(child)) {
        if (temporary) rmSync(dataDirectory, { recursive: true, force: true });
        return;
      }
      await stop();
    },
  };
}

/** The ports in the log line that announces both listeners, once it is whole. */
function listenersIn(output: string): { gateway: number; api: number } | undefined {
  for (const line of output.split("\n")) {
    if (!line.startsWith("{") || !line.endsWith("}") || !line.includes('"gateway":')) continue;
    const { gateway, api } = JSON.parse(line);
    if (api !== undefined) return { gateway: portOf(gateway), api: portOf(api) };
  }
  return undefined;
}

function portOf(address: unknown): number {
  return Number(/(\d+)\/?$/.exec(String(address))?.[1]);
}

/** Runs a command of the program against the service's data directory, as an operator would beside it. */
export async function runCommand(
  env: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  const [program, ...start] = programCommand();
  const child = spawn(program, [...start, ...words], { env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [status] = await within(once(child, "close"), 150_000, () => `weir ${words.join(" ")} did not end: ${stderr}`);
  return { status, stdout, stderr };
}

/** The headers that send a request through Weir to `target`. */
export function gatewayHeaders(target: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": target, ...more };
}

/** Calls the API with the key of the tests. */
export function callApi(weir: Pick<Weir, "api">, path: string, init: RequestInit = {}, key = KEY): Promise<Response> {
  return fetch(weir.api + path, {
    ...init,
    keepalive: false, // a pooled connection may belong to an earlier service on the same port
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...init.headers },
  });
}

/** The records of `ids` that the API shows now. The request is repeated while the service is too busy for it. */
export async function queryIds(weir: Pick<Weir, "api">, ids: readonly string[], key = KEY): Promise<ApiRecord[]> {
  const found: ApiRecord[] = [];
  const size = 500;
  for (let from = 0; from < ids.length; from += size) {
    const requestIds = ids.slice(from, from + size);
    const body = JSON.stringify({ requestIds });
    let response!: Response;
    await until(async () => {
      response = await callApi(weir, "/v1/request/query-ids", { method: "POST", body }, key);
      return response.status !== 503 && response.status !== 504;
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`query-ids answered ${response.status}: ${text.slice(0, 500)}`);
    found.push(...(JSON.parse(text).data as ApiRecord[]));
  }
  return found;
}

/** The record of one request, once it is finished. */
export async function recordOf(weir: Pick<Weir, "api">, id: string, msMax = 180_000): Promise<ApiRecord> {
  const [record] = await recordsOf(weir, [id], msMax);
  return record!;
}

/** The records of all `ids`, in their order, once every one is there and finished. */
export async function recordsOf(
  weir: Pick<Weir, "api">,
  ids: readonly string[],
  msMax = 180_000,
): Promise<ApiRecord[]> {
  let found: ApiRecord[] = [];
  await until(
    async () => {
      found = await queryIds(weir, ids);
      return found.length === ids.length && found.every(({ response_status }) => response_status !== null);
    },
    msMax,
    () =>
      `of ${ids.length} records ${found.length} are visible; unfinished: ${found.filter((r) => r["response_status"] === null).length}`,
  );
  return found;
}

/** One part of a recorded body, as `GET /v1/request/<id>/body` returns it. */
export async function bodyPart(weir: Pick<Weir, "api">, id: string, part: string): Promise<Buffer> {
  const response = await callApi(weir, `/v1/request/${id}/body?part=${part}`);
  if (response.status !== 200) throw new Error(`body answered ${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}
