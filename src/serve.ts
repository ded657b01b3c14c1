import { join } from "node:path";
import type { Config } from "./config.ts";
import { type Gateway, startGateway } from "./gateway/start.ts";
import { type Log, messageOf } from "./observe.ts";
import { type LiveHooks, type LiveRegistry, openHooks, openRegistry } from "./plugin/live.ts";
import { expose } from "./runtime/rpc.ts";
import { startThread, threadPorts } from "./runtime/thread.ts";
import { openDataDirectory } from "./serve/data-directory.ts";
import { stopOnSignal } from "./serve/signals.ts";
import { listenFailure, StartError } from "./serve/start-error.ts";
import { Supervised } from "./serve/supervise.ts";
import type { SpoolWriter } from "./spool/frame.ts";
import { openSpool } from "./spool/writer.ts";
import { ensureFirstKey, snapshotKeys } from "./store/keys.ts";
import { openStore } from "./store/store.ts";
import type { ApiFunctions, GatewayFunctions, RecorderFunctions, ThreadOptions } from "./threads.ts";

/** Milliseconds that the recorder gets to bring the rest of the spool into the database; what is left comes next time. */
const RECORDER_STOP_MS = 60_000;
const API_STOP_MS = 5_000;

export interface ServeOptions {
  readonly config: Config;
  readonly log: Log;
  /** Told the first key, once. */
  readonly onFirstKey: (key: string) => void;
}

/**
 * Runs the service until a signal ends it.
 *
 * Builds every part in order: data directory, spool, recorder, keys, API, gateway. Takes them down in reverse.
 *
 * @throws StartError, PluginError and the like where it cannot start.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, log } = options;
  keepServing(log);
  const lock = openDataDirectory(config);
  const parts: Partial<Parts> = {};
  try {
    const service = await build(options, parts);
    await stopOnSignal({
      log,
      stop: async (signal) => {
        log.info("stopping: no new connections, streams in flight may finish", { signal, seconds: config.drain_seconds });
        await service.gateway.drain(config.drain_seconds);
        await takeDown(parts, log);
      },
      lastAct: () => service.spool.flush(),
    });
    log.info("stopped");
  } catch (error) {
    await takeDown(parts, log);
    throw error;
  } finally {
    lock.release();
  }
}

interface Parts {
  readonly spool: SpoolWriter;
  readonly recorder: Supervised<RecorderFunctions>;
  readonly registry: LiveRegistry;
  readonly hooks: LiveHooks;
  readonly api: Supervised<ApiFunctions>;
  readonly gateway: Gateway;
}

/** @param parts - gets each part as soon as it is there, so that a failed start can take down what was built. */
async function build({ config, log, onFirstKey }: ServeOptions, parts: { -readonly [K in keyof Parts]?: Parts[K] }) {
  const spool = openSpool({ directory: join(config.data_dir, "spool"), sync: config.spool_sync, log });
  parts.spool = spool;
  const recorder = new Supervised<RecorderFunctions>({
    name: "recorder",
    start: () => startThread("src/recorder/worker.ts", { config } satisfies ThreadOptions),
    onStarted: (remote) => remote.ready(),
    log,
  });
  parts.recorder = recorder;
  const toRecorder = recorder.forward(["isKnownId", "barrier", "amend", "metrics", "status"]);

  // The drop-ins are read while the recorder starts. Its own failure comes first: it explains more.
  const dropIns = Promise.allSettled([openRegistry({ config, log }), openHooks({ config, log })]);
  const recorderReady = recorder.started();
  const [registry, hooks] = await dropIns;
  if (registry.status === "fulfilled") parts.registry = registry.value;
  if (hooks.status === "fulfilled") parts.hooks = hooks.value;
  await recorderReady.catch((error) => {
    throw new StartError(`the recorder cannot start: ${messageOf(error)}`, error);
  });
  if (registry.status === "rejected") throw registry.reason;
  if (hooks.status === "rejected") throw hooks.reason;

  const gateway = await startGateway({
    config,
    log,
    spool,
    registry: () => registry.value.current(),
    isKnownId: toRecorder.isKnownId,
  }).catch((error) => {
    throw listenFailure(error, "gateway_port", config);
  });
  parts.gateway = gateway;
  return { spool, gateway };
}

async function takeDown(parts: Partial<Parts>, log: Log): Promise<void> {
  await parts.gateway?.close();
  await parts.spool?.close();
  if (parts.recorder !== undefined && !(await parts.recorder.stop("stop", RECORDER_STOP_MS))) {
    log.warn("the recorder did not finish; the spool keeps the rest for the next start");
  }
  await parts.api?.stop("stop", API_STOP_MS);
  await parts.hooks?.close();
  parts.registry?.close();
}

/** What was not caught is a bug of one request, plugin or socket: the others are served on. */
function keepServing(log: Log): void {
  const onBug = (error: unknown) => {
    log.error("not caught, serving on", { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined });
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
}
