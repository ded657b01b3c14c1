import { MessageChannel, type MessagePort, Worker, workerData } from "node:worker_threads";
import { shippedScript } from "./platform.ts";
import type { Endpoint } from "./rpc.ts";

/** The start arguments of a thread. */
interface ThreadStart<Options> {
  readonly options: Options;
  /** The port to the parent of this thread: `expose` and `connect` of `rpc.ts` work on it. */
  readonly port: Endpoint;
  /** Ports to other threads, by name. */
  readonly ports: Readonly<Record<string, Endpoint>>;
}

export interface Thread {
  readonly port: Endpoint;
  /** Resolves when the thread has ended, with the error that ended it, if any. Never rejects. */
  readonly ended: Promise<Error | undefined>;
  /** Ends the thread immediately. Never call it while the thread may be in a libSQL query: on Bun that aborts the process. */
  terminate(): Promise<void>;
}

/** Both ends of a new channel between two threads; hand one end to each. */
export function threadPorts(): readonly [MessagePort, MessagePort] {
  const { port1, port2 } = new MessageChannel();
  return [port1, port2];
}

/**
 * Starts a shipped script, such as `src/recorder/worker.ts`, as a thread.
 *
 * @param options - copied to the thread by structured clone.
 * @param ports - moved to the thread; unusable here afterwards.
 */
export function startThread<Options>(
  script: string,
  options: Options,
  ports: Readonly<Record<string, MessagePort>> = {},
): Thread {
  const [port, theirs] = threadPorts();
  const worker = new Worker(shippedScript(script), {
    name: script,
    workerData: { options, port: theirs, ports },
    transferList: [theirs, ...Object.values(ports)],
  });
  port.start();
  const ended = new Promise<Error | undefined>((resolve) => {
    let failure: Error | undefined;
    worker.on("error", (error) => {
      failure ??= error instanceof Error ? error : new Error(String(error));
    });
    worker.on("exit", (code) => {
      port.close();
      resolve(failure ?? (code === 0 ? undefined : new Error(`the thread ended with status ${code}`)));
    });
  });
  return {
    port: port as unknown as Endpoint,
    ended,
    terminate: async () => void (await worker.terminate()),
  };
}

/**
 * The start arguments of this thread. Call it once, at the top of the thread's script. From then on a log without a reader
 * does not end the thread, as it would on Deno.
 */
export function threadStart<Options>(): ThreadStart<Options> {
  process.stderr.on("error", () => {});
  const { options, port, ports } = workerData as {
    options: Options;
    port: MessagePort;
    ports: Readonly<Record<string, MessagePort>>;
  };
  for (const each of [port, ...Object.values(ports)]) each.start();
  return { options, port: port as unknown as Endpoint, ports: ports as unknown as Readonly<Record<string, Endpoint>> };
}
