import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accepts, freePort } from "./ports.ts";
import { until } from "./until.ts";

/** A server of somebody else's as a child process, on a port that it keeps across restarts. */
export interface ServerProcess {
  readonly port: number;
  /** `kill -9`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  isRunning(): boolean;
  /** Stops it in the middle of whatever it does: it accepts connections and sends no response. */
  freeze(): void;
  thaw(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Place {
  readonly port: number;
  /** A folder of its own, which goes with it. */
  readonly directory: string;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Resolves once it takes connections. */
export async function startServerProcess(
  name: string,
  program: string,
  flags: (place: Place) => readonly string[],
): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), `weir-${name}-`));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(program, [...flags({ port, directory })], { stdio: "ignore" });
    running.add(child);
    await until(
      () => accepts(port),
      180_000,
      () => `${name} does not listen`,
    );
  };
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (child === undefined || !isRunning()) return;
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
    isRunning,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
