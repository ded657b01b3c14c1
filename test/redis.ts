import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

/** Debian's Redis as a child process, on a port that it keeps across restarts, with nothing on disk. */
export interface RedisServer {
  readonly port: number;
  /** `kill -9`: its memory is gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** It takes connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const PROGRAM = process.env["WEIR_TEST_REDIS"] ?? "redis-server";
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Says that tests did not run, where there is no Redis for them. */
export function isRedisMissing(): boolean {
  const isMissing = spawnSync(PROGRAM, ["--version"]).error !== undefined;
  if (isMissing)
    console.error("\n!!! redis-server IS MISSING (apt-get install redis-server): these tests DID NOT RUN !!!\n");
  return isMissing;
}

/** @param flags - as the program takes them, such as `--requirepass`. */
export async function startRedis(flags: readonly string[] = []): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), "weir-redis-"));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    const own = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory];
    child = spawn(PROGRAM, [...own, ...flags], { stdio: "ignore" });
    running.add(child);
    await until(
      () => accepts(port),
      60_000,
      () => "redis-server does not listen",
    );
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    running.delete(child);
  };
  await start();
  return {
    port,
    kill,
    start,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
