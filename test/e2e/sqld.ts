import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { until } from "./weir.ts";

/** A libSQL server as a child process, on ports that it keeps across restarts. */
export interface Sqld {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly grpcUrl: string;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Stops it in the middle of whatever it does: it takes connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve(`@sqld/${process.platform}-${process.arch}/package.json`)),
  "sqld",
);
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** @param primary - of a replica. */
export async function startSqld(primary?: Sqld): Promise<Sqld> {
  const directory = mkdtempSync(join(tmpdir(), "weir-sqld-"));
  const [port, grpcPort] = [await freePort(), await freePort()];
  const role =
    primary === undefined ? ["--grpc-listen-addr", `127.0.0.1:${grpcPort}`] : ["--primary-grpc-url", primary.grpcUrl];
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(PROGRAM, ["-d", directory, "--http-listen-addr", `127.0.0.1:${port}`, ...role], { stdio: "ignore" });
    running.add(child);
    await until(
      () => accepts(port),
      60_000,
      () => "sqld does not listen",
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
    url: `http://127.0.0.1:${port}`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    kill,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    start,
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

export function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}
