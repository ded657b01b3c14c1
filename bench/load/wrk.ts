import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** JSON of exactly 600 bytes: `fill` is given the text that makes it so. */
function json600(fill: (text: string) => object): string {
  const bare = JSON.stringify(fill("")).length;
  return JSON.stringify(fill("water ".repeat(100).slice(0, 600 - bare)));
}

/** A chat request and its response, 600 bytes each. */
export const REQUEST_BODY = json600((content) => ({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }));
export const RESPONSE_BODY = json600((content) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "gpt-4o-mini-2024-07-18",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 110, completion_tokens: 60, total_tokens: 170 },
}));

export interface Measured {
  readonly requestsPerSecond: number;
  readonly responses: number;
  /** Responses that were no success, and broken connections. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Writes what wrk is to send. @returns the file. */
export function script(
  directory: string,
  name: string,
  headers: Readonly<Record<string, string>>,
  body: string = REQUEST_BODY,
): string {
  const path = join(directory, `${name}.lua`);
  const lines = Object.entries({ "Content-Type": "application/json", ...headers }).map(
    ([key, value]) => `wrk.headers[${JSON.stringify(key)}] = ${JSON.stringify(value)}`,
  );
  writeFileSync(path, `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n${lines.join("\n")}\n`);
  return path;
}

/** Lines of a script that give every request of every run a trace, a user and a property of its own. */
export const DIFFERING = `
local threads = 0
setup = function(thread) threads = threads + 1; thread:set("lane", os.time() * 10 + threads) end
local count = 0
request = function()
  count = count + 1
  wrk.headers["traceparent"] = string.format("00-%016x%016x-%016x-01", lane, count, count)
  wrk.headers["Gateway-User-Id"] = "user-" .. count % 5000
  wrk.headers["Gateway-Property-Order"] = lane .. "-" .. count
  return wrk.format()
end
`;

/** Runs wrk without blocking this process. */
export async function wrk(port: number, connections: number, lua: string, forSeconds: number): Promise<Measured> {
  const threads = Math.min(2, connections);
  const words = [
    `-t${threads}`,
    `-c${connections}`,
    `-d${forSeconds}s`,
    "--latency",
    // On a busy machine a response may take longer than the two seconds after which wrk counts it as an error.
    ...["--timeout", "30s"],
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
    responses: Number(/(\d+) requests in/.exec(text)?.[1]),
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
