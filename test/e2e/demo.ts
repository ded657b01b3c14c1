import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until, within } from "./weir.ts";

const START_MS_MAX = 200_000;
const STOP_MS_MAX = 150_000;

/** A demonstration as a child process, in a directory for temporary files of its own. */
interface Demo extends AsyncDisposable {
  readonly api: string;
  readonly gatewayPort: number;
  readonly key: string;
  /** How many requests it says that it has. */
  readonly count: number;
  readonly temporary: string;
  output(): string;
  /** As Ctrl-C does. @returns the exit status. */
  stop(): Promise<number | null>;
}

/** @param command - how the program is started. @param words - behind `demo`. */
export async function startDemo(command: readonly string[], words: readonly string[] = []): Promise<Demo> {
  const temporary = mkdtempSync(join(tmpdir(), "weir-demo-test-"));
  const [program, ...before] = command as [string];
  const child = spawn(program, [...before, "demo", ...words], {
    // A database that is configured for a real service: the demonstration has its own.
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: temporary, TMPDIR: temporary, DENO_NO_UPDATE_CHECK: "1" },
      ...{
        WEIR_GATEWAY_PORT: "0",
        WEIR_API_PORT: "0",
        WEIR_DATABASE_URL: "http://127.0.0.1:1",
        WEIR_DATA_DIR: "/nowhere",
      },
    },
    cwd: temporary,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const failed = closed.then(([status]) => {
    throw new Error(`the demonstration ended with status ${status}:\n${output}`);
  });
  failed.catch(() => undefined);
  const read = (pattern: RegExp) => pattern.exec(output)?.[1] ?? "";
  const stop = async () => {
    child.kill("SIGINT");
    const [status] = await within(closed, STOP_MS_MAX, () => `the demonstration did not end:\n${output}`);
    return status as number | null;
  };
  try {
    const ready = until(
      () => output.includes("Ctrl-C ends it."),
      START_MS_MAX,
      () => output,
    );
    await Promise.race([ready, failed]);
  } catch (error) {
    child.kill("SIGKILL");
    await closed;
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return {
    api: read(/open\s+(http\S+) in a browser/),
    gatewayPort: Number(read(/echo\.localhost:(\d+)/)),
    key: read(/key\s+(sk-weir-\S+)/),
    count: Number(read(/with (\d+) recorded/)),
    temporary,
    output: () => output,
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Names in its directory for temporary files that are the demonstration's. */
export const leftOf = ({ temporary }: Demo): readonly string[] =>
  readdirSync(temporary).filter((name) => name.startsWith("weir-demo-"));

/** The `data` of a call to its API. */
export async function askDemo({ api, key }: Demo, path: string, body: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()).data;
}
