import { join } from "node:path";
import type { Config } from "./config.ts";
import { type Gateway, startGateway } from "./gateway/start.ts";
import type { KeySnapshot } from "./keys.ts";
import { type Log, messageOf } from "./observe.ts";
import { Entries } from "./plugin/entries.ts";
import { hookFailuresText } from "./plugin/hook-metrics.ts";
import { createPluginHost, type PluginHost } from "./plugin/host.ts";
import { type LiveHooks, type LiveRegistry, openHooks, openRegistry } from "./plugin/live.ts";
import { hostsOf } from "./plugin/registry.ts";
import { callRoute, viewRoutes } from "./plugin/routes.ts";
import { expose } from "./runtime/rpc.ts";
import { startThread, threadPorts } from "./runtime/thread.ts";
import { openDataDirectory } from "./serve/data-directory.ts";
import { firstSignal } from "./serve/signals.ts";
import { listenFailure } from "./serve/start-error.ts";
import { inTime, Supervised } from "./serve/supervise.ts";
import type { SpoolWriter } from "./spool/frame.ts";
import { appendWhole } from "./spool/whole.ts";
import { openSpool, type Spool } from "./spool/writer.ts";
import { ensureFirstKey, snapshotKeys } from "./store/keys.ts";
import { migrate } from "./store/migrate.ts";
import { readEntries } from "./store/plugin-entries.ts";
import { type Database, openStore } from "./store/store.ts";
import type {
  ApiFunctions,
  GatewayFunctions,
  HostFunctions,
  JobFunctions,
  ListenerPorts,
  RecorderFunctions,
  ThreadOptions,
} from "./threads.ts";

/** Milliseconds that the recorder gets to bring the rest of the spool into the database; what is left comes next time. */
const RECORDER_STOP_MS = 60_000;
const API_STOP_MS = 5_000;
/** Milliseconds that a job gets to finish its step; it goes on where it was at the next start. */
const JOBS_STOP_MS = 10_000;
/** How long a start waits for a database that can be written before it asks whether it can be read. */
const DATABASE_PATIENCE_MS = 1_500;

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
  const built: Built = {};
  const signal = firstSignal(log, () => built.spool?.flush());
  try {
    await build(options, built);
    const received = await signal;
    const seconds = config.drain_seconds;
    log.info("stopping: no new connections, streams in flight may finish", { signal: received, seconds });
    await built.gateway?.drain(seconds);
  } finally {
    await takeDown(built, log);
    lock.release();
  }
  log.info("stopped");
}

interface Parts {
  readonly spool: SpoolWriter;
  readonly recorder: Supervised<RecorderFunctions>;
  readonly registry: LiveRegistry;
  readonly entries: Entries;
  readonly pluginHost: PluginHost;
  readonly hooks: LiveHooks;
  readonly gateway: Gateway;
  readonly jobs: Supervised<JobFunctions>;
  readonly api: Supervised<ApiFunctions>;
}

/** What is built so far: a failed start takes it down again. */
type Built = { -readonly [K in keyof Parts]?: Parts[K] };

async function build(options: ServeOptions, built: Built): Promise<void> {
  const { config, log } = options;
  const spool = openSpool({ directory: join(config.data_dir, "spool"), sync: config.spool_sync, log });
  built.spool = spool;
  const recorder = startRecorder(options, spool);
  built.recorder = recorder;
  // These wait for nothing while the recorder's thread loads.
  const [known, registry] = await Promise.allSettled([firstKeys(options, recorder), openRegistry({ config, log })]);
  if (registry.status === "fulfilled") built.registry = registry.value;
  else throw registry.reason;
  // A plugin that cannot be set up fails in the recorder's thread as well: here its error is whole.
  const hooks = await openPlugins(options, recorder, built);
  if (known.status === "rejected") throw known.reason;
  const gateway = await startGateway({
    config,
    log,
    spool,
    registry: () => built.registry!.current(),
    hooks: hooks.hooks,
    privateTargets: built.pluginHost!.privateTargets,
    isKnownId: recorder.forward(["isKnownId"]).isKnownId,
    degraded: () => degraded(built),
    keys: known.value,
  }).catch((error) => {
    throw listenFailure(error, "gateway_port", config);
  });
  built.gateway = gateway;
  // From here on traffic passes, into the spool.
  let apiPortKnown = 0;
  const jobs = startJobs(options, recorder, () => ({ gateway: gateway.port, api: apiPortKnown }));
  built.jobs = jobs;
  const api = startApi(options, { gateway, recorder, jobs, spool, hooks, registry: registry.value });
  built.api = api.thread;
  const apiPort = api.port.catch((error) => {
    throw listenFailure(error, "api_port", config);
  });
  apiPort.then(
    (port) => {
      apiPortKnown = port;
      gateway.setOwnPorts([port]);
    },
    () => undefined, // told below
  );
  await recorderStarts(options, recorder);
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  log.info("weir is serving", { gateway: `http://${host}:${gateway.port}`, api: `http://${host}:${await apiPort}` });
}

function startRecorder({ config, log }: ServeOptions, { sealKey }: Spool): Supervised<RecorderFunctions> {
  const recorder = new Supervised<RecorderFunctions>({
    name: "recorder",
    start: () => startThread("src/recorder/worker.ts", { config, sealKey } satisfies ThreadOptions),
    onStarted: (remote) => remote.ready(),
    log,
  });
  recorder.started().catch(() => undefined); // waited for where it matters, unless something else fails before
  return recorder;
}

/** Sets the plugins up, with what they stored; where that cannot be read now, it is taken in as soon as it can. */
async function openPlugins(
  { config, log }: ServeOptions,
  recorder: Supervised<RecorderFunctions>,
  built: Built,
): Promise<LiveHooks> {
  const theirs = recorder.forward(["readEntries", "writeEntries", "usageOf"]);
  const { usageOf } = theirs;
  const entries = new Entries({ read: theirs.readEntries, write: theirs.writeEntries, log });
  built.entries = entries;
  await entries
    .load(() => withReader(config, (records) => readEntries(records, 0)))
    .catch((error: unknown) => {
      log.warn("what plugins stored cannot be read now", { why: messageOf(error) });
    });
  entries.follow();
  const providerHosts = () => hostsOf(built.registry!.current().providers);
  const host = createPluginHost({ config, log, entries, usageOf, providerHosts });
  built.pluginHost = host;
  built.hooks = await openHooks({ config, log, host });
  return built.hooks;
}

/**
 * Makes the first key where there is none. While the database cannot be written but has keys, the service starts all the
 * same: what passes waits in the spool.
 *
 * @returns all keys, so that the gateway need not wait for another thread.
 */
async function firstKeys(options: ServeOptions, recorder: Supervised<RecorderFunctions>): Promise<KeySnapshot[]> {
  // Where this fails the recorder fails too; it tries on, and says why.
  const early = await makeKeys(options).catch(() => undefined);
  if (early !== undefined) return early;
  const { config, log } = options;
  for (let waits = 0; !(await inTime(recorder.started(), DATABASE_PATIENCE_MS)); waits++) {
    const keys = await withReader(config, snapshotKeys).catch(() => []);
    if (keys.length > 0) return keys;
    if (waits === 0) log.warn("waiting for the database: there are no keys to serve with");
  }
  await recorder.started();
  return makeKeys(options);
}

/** Brings the tables up to date first: the recorder does it as well, and whoever comes second finds it done. */
async function makeKeys({ config, onFirstKey }: ServeOptions): Promise<KeySnapshot[]> {
  const store = await openStore(config, "write");
  try {
    await migrate(store);
    const key = await ensureFirstKey(store.records, config.region, config.bootstrap_key);
    if (key !== undefined) onFirstKey(key);
    return await snapshotKeys(store.records);
  } finally {
    await store.close();
  }
}

/** @throws what keeps the recorder from starting. One that only takes its time is waited for no longer than this. */
async function recorderStarts({ log }: ServeOptions, recorder: Supervised<RecorderFunctions>): Promise<void> {
  if (await inTime(recorder.started(), DATABASE_PATIENCE_MS)) return void (await recorder.started());
  recorder.persist();
  log.warn("the database cannot be written now: what passes waits in the spool");
}

async function withReader<T>(config: Config, work: (records: Database) => Promise<T>): Promise<T> {
  const store = await openStore(config, "read");
  try {
    return await work(store.records);
  } finally {
    await store.close();
  }
}

/** Nothing waits for the jobs: a thread that does not come up is told of as degraded. */
function startJobs(
  { config, log }: ServeOptions,
  recorder: Supervised<RecorderFunctions>,
  ports: () => ListenerPorts,
): Supervised<JobFunctions> {
  const jobs = new Supervised<JobFunctions>({
    name: "jobs",
    start: () => {
      const [toRecorder, itsRecorder] = threadPorts();
      const [toHost, itsHost] = threadPorts();
      for (const each of [toRecorder, toHost]) each.start();
      expose(toRecorder, recorder.forward(["rewrite", "relearn"]));
      expose(toHost, { ports } satisfies HostFunctions);
      const options: ThreadOptions = { config };
      return startThread("src/jobs/worker.ts", options, { recorder: itsRecorder, host: itsHost });
    },
    onStarted: (remote) => remote.ready(),
    log,
  });
  jobs.persist();
  return jobs;
}

/** The API calls the other threads through this one, so that a recorder that is started again is reached as well. */
function startApi(
  { config, log }: ServeOptions,
  {
    gateway,
    recorder,
    jobs,
    spool,
    registry,
    hooks: { hooks, view, degraded },
  }: Pick<Parts, "gateway" | "recorder" | "jobs" | "spool" | "registry" | "hooks">,
) {
  const first = Promise.withResolvers<number>();
  let port = config.api_port;
  const thread = new Supervised<ApiFunctions>({
    name: "API",
    start: () => {
      const [toRecorder, itsRecorder] = threadPorts();
      const [toGateway, itsGateway] = threadPorts();
      const [toJobs, itsJobs] = threadPorts();
      for (const each of [toRecorder, toGateway, toJobs]) each.start();
      expose(
        toRecorder,
        recorder.forward([
          "isKnownId",
          "barrier",
          "amend",
          "remove",
          "import",
          "relearn",
          "hookHealth",
          "metrics",
          "status",
        ]),
      );
      expose(toJobs, jobs.forward(["expedite", "relearn"]));
      const { metrics, status, setKeys, cacheStatus, cacheEntries, purgeCache } = gateway;
      const functions: GatewayFunctions = {
        metrics: async () => `${await metrics()}\n${hookFailuresText("gateway", hooks.failures())}`,
        status,
        setKeys,
        record: (exchange) => appendWhole(spool, exchange),
        cacheStatus,
        cacheEntries,
        purgeCache,
        providers: registry.view,
        plugins: view,
        hookHealth: () => ({ failures: Object.fromEntries(hooks.failures()), degraded: degraded() }),
        routes: () => viewRoutes(hooks.routes()),
        callRoute: (route, call) => callRoute(hooks.routes(), route, call, log),
      };
      expose(toGateway, functions);
      // A thread that is started again keeps the port that was free the first time.
      const options: ThreadOptions = { config: { ...config, api_port: port } };
      return startThread("src/api/worker.ts", options, { recorder: itsRecorder, gateway: itsGateway, jobs: itsJobs });
    },
    onStarted: async (remote) => {
      port = (await remote.ready()).port;
      first.resolve(port);
    },
    log,
  });
  thread.started().catch(first.reject);
  return { thread, port: first.promise };
}

/** Everything that someone should look at although the service runs, a sentence each. */
function degraded({ registry, hooks, recorder, jobs, api }: Built): readonly string[] {
  const threads = [recorder?.trouble, jobs?.trouble, api?.trouble].filter((trouble) => trouble !== undefined);
  return [...threads, ...(registry?.degraded() ?? []), ...(hooks?.degraded() ?? [])];
}

async function takeDown(parts: Built, log: Log): Promise<void> {
  await parts.gateway?.close();
  await parts.jobs?.stop("stop", JOBS_STOP_MS);
  await parts.spool?.close();
  const recorded = (await parts.recorder?.stop("stop", RECORDER_STOP_MS)) ?? true;
  if (!recorded && parts.gateway !== undefined) {
    log.warn("the recorder did not finish; the spool keeps the rest for the next start");
  }
  await parts.api?.stop("stop", API_STOP_MS);
  await parts.hooks?.close();
  parts.entries?.close();
  parts.pluginHost?.close();
  parts.registry?.close();
}

/** What was not caught is a bug of one request, plugin or socket: the others are served on. */
function keepServing(log: Log): void {
  const onBug = (error: unknown) => {
    log.error("not caught, serving on", {
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
}
