import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { gatewayHeaders, ROOT, startWeir } from "../../test/e2e/weir.ts";
import { freePort } from "../../test/ports.ts";
import { until } from "../../test/until.ts";
import { startProxy } from "./nginx.ts";

/** A gateway under load. */
export interface Running {
  readonly port: number;
  readonly pid: number;
  /** What a request to it has to say besides its own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Rows in its database that say 200; absent where it records nothing. */
  readonly recorded?: () => number;
  /** Bytes of all it wrote, once everything is recorded. */
  readonly bytesOnDisk?: () => number;
  stop(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** Starts it in front of the provider at this port of 127.0.0.1. */
  start(providerPort: number): Promise<Running>;
}

const CREDENTIAL = { Authorization: "Bearer sk-bench" };
/** The version that was compared; another may be faster or slower. */
const PORTKEY = "@portkey-ai/gateway@1.15.2";

/** What is compared; the npm package is fetched into a folder below `directory`. */
export async function contenders(directory: string): Promise<Contender[]> {
  const nginx: Contender = {
    name: "nginx",
    async start(providerPort) {
      const proxy = await startProxy(directory, providerPort, "proxy_buffering off;");
      return { ...proxy, headers: CREDENTIAL };
    },
  };
  const program = installPortkey(directory);
  return [
    nginx,
    { name: "weir", start: startRecording },
    portkey("portkey on Bun", [process.execPath, program]),
    portkey("portkey on Node", ["node", program]),
  ];
}

async function startRecording(providerPort: number): Promise<Running> {
  const binary = join(ROOT, "dist/weir");
  const command = existsSync(binary) ? [binary] : [process.execPath, join(ROOT, "src/main.ts")];
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-compare-data-"));
  const weir = await startWeir({ command, dataDirectory });
  return {
    port: weir.gatewayPort,
    pid: weir.pid,
    headers: gatewayHeaders(`http://127.0.0.1:${providerPort}`, CREDENTIAL),
    recorded: () => countRecords(dataDirectory),
    bytesOnDisk: () => sizeOf(dataDirectory),
    async stop() {
      await weir.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Records of requests that got a response, counted beside the service. */
export function countRecords(dataDirectory: string): number {
  const database = new Database(join(dataDirectory, "weir.db"), { readonly: true });
  try {
    return (database.prepare("select count(*) as n from requests where response_status = 200").get() as { n: number })
      .n;
  } finally {
    database.close();
  }
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** @returns its program. */
function installPortkey(directory: string): string {
  const home = join(directory, "portkey");
  mkdirSync(home);
  execFileSync("npm", ["install", "--prefix", home, "--ignore-scripts", "--no-audit", "--no-fund", PORTKEY], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(home, "node_modules/@portkey-ai/gateway/build/start-server.js");
}

function portkey(name: string, [command, ...words]: [string, ...string[]]): Contender {
  return {
    name,
    async start(providerPort) {
      const port = await freePort();
      const child = spawn(command, [...words, `--port=${port}`, "--headless"], {
        stdio: "ignore",
        env: { ...process.env, TRUSTED_CUSTOM_HOSTS: "127.0.0.1" },
      });
      const responds = () => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false);
      await until(responds, 15_000, () => `${PORTKEY} does not answer`);
      return {
        port,
        pid: child.pid!,
        headers: {
          ...CREDENTIAL,
          "x-portkey-provider": "openai",
          "x-portkey-custom-host": `http://127.0.0.1:${providerPort}/v1`,
        },
        async stop() {
          child.kill();
          await once(child, "exit");
        },
      };
    },
  };
}
