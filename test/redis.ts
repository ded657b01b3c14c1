import { spawnSync } from "node:child_process";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** Debian's Redis, with nothing on disk: what is killed has lost its memory. */
export type RedisServer = ServerProcess;

const PROGRAM = process.env["WEIR_TEST_REDIS"] ?? "redis-server";

/** Says that tests did not run, where there is no Redis for them. */
export function isRedisMissing(): boolean {
  const isMissing = spawnSync(PROGRAM, ["--version"]).error !== undefined;
  if (isMissing)
    console.error("\n!!! redis-server IS MISSING (apt-get install redis-server): these tests DID NOT RUN !!!\n");
  return isMissing;
}

/** @param flags - as the program takes them, such as `--requirepass`. */
export function startRedis(flags: readonly string[] = []): Promise<RedisServer> {
  return startServerProcess("redis", PROGRAM, ({ port, directory }) => [
    ...["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory],
    ...flags,
  ]);
}
