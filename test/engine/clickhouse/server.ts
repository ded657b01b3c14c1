import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../ports.ts";
import { type ServerProcess, startServerProcess } from "../../server-process.ts";
import { until } from "../../until.ts";

/** A ClickHouse server in a process of its own; `port` is that of HTTP. */
export interface ClickHouseServer extends ServerProcess {
  readonly url: string;
  /** Port of its native protocol, by which servers reach each other. */
  readonly tcpPort: number;
}

interface Starting {
  /** Path of a file of XML or YAML, such as one that names a cluster or users. */
  readonly config?: string;
  readonly tcpPort?: number;
}

const PROGRAM = join(import.meta.dir, "run-server.ts");
/** Where `.ci/run` installs it. */
const INSTALLED = join(import.meta.dir, `node_modules/@chdb/lib-linux-${process.arch}-gnu/libchdb.so`);
const LIBRARY = process.env["WEIR_TEST_CHDB"] || INSTALLED;

/** Says that tests did not run, where there is no ClickHouse for them. */
export function isClickHouseMissing(): boolean {
  const isMissing = !existsSync(LIBRARY);
  if (isMissing)
    console.error(
      "\n!!! ClickHouse IS MISSING (npm ci --prefix test/engine/clickhouse): these tests DID NOT RUN !!!\n",
    );
  return isMissing;
}

/** A server with no tables that keeps its ports and its folder across `kill` and `start`. */
export async function startClickHouse({ config, tcpPort }: Starting = {}): Promise<ClickHouseServer> {
  const tcp = tcpPort ?? (await freePort());
  const server = await startServerProcess("clickhouse", process.execPath, ({ port, directory }) => [
    ...[PROGRAM, LIBRARY, directory, String(port), String(tcp)],
    ...(config === undefined ? [] : [config]),
  ]);
  const url = `http://127.0.0.1:${server.port}`;
  const start = async () => {
    await server.start();
    await until(() => responds(url));
  };
  await until(() => responds(url));
  return { ...server, start, url, tcpPort: tcp, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/**
 * The server that all test files of this process share: it starts with the first and ends with the process. Each suite
 * makes a database of its own (`ownDatabase`), and none of them kills it.
 *
 * @returns its address.
 */
export async function sharedClickHouse(): Promise<string> {
  // Test files of one process have their own globals, so what they share is written down.
  const note = join(tmpdir(), `weir-clickhouse-${process.pid}`);
  const known = existsSync(note) ? readFileSync(note, "utf8") : "";
  if (known !== "" && (await responds(known))) return known;
  const { url } = await startClickHouse();
  writeFileSync(note, url);
  return url;
}

let databases = 0;

/** A name that no other suite on the shared server has. */
export function ownDatabase(): string {
  databases++;
  return `weir_${process.pid}_${Date.now().toString(36)}_${databases}`;
}

async function responds(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ping`)).ok;
  } catch {
    return false;
  }
}
