import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort } from "../ports.ts";
import { type ServerProcess, startServerProcess } from "../server-process.ts";

/** A libSQL server, on ports that it keeps across restarts. */
export interface Sqld extends ServerProcess {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly grpcUrl: string;
}

const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve(`@sqld/${process.platform}-${process.arch}/package.json`)),
  "sqld",
);

/** @param primary - of a replica. */
export async function startSqld(primary?: Sqld): Promise<Sqld> {
  const grpcPort = await freePort();
  const role =
    primary === undefined ? ["--grpc-listen-addr", `127.0.0.1:${grpcPort}`] : ["--primary-grpc-url", primary.grpcUrl];
  const server = await startServerProcess("sqld", PROGRAM, ({ port, directory }) => [
    ...["-d", directory, "--http-listen-addr", `127.0.0.1:${port}`],
    ...role,
  ]);
  return { ...server, url: `http://127.0.0.1:${server.port}`, grpcUrl: `http://127.0.0.1:${grpcPort}` };
}
