import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startGateway } from "../gateway/start.ts";
import type { Log } from "../log.ts";
import type { Hooks } from "../plugin-host/hooks/hooks.ts";
import { callOnAnswer } from "../plugin-host/hooks/response-facts.ts";
import type { Credential } from "../routing/credential.ts";
import type { RoutingTables } from "../routing/tables.ts";
import { checkPort } from "../runtime/http/strict-server.ts";
import { takeOver } from "../runtime/http/take-over.ts";
import { expose } from "../runtime/rpc.ts";
import { startThread, threadPorts } from "../runtime/thread.ts";
import { REREADING } from "../spool/reading-note.ts";
import { openSpool, type Spool } from "../spool/writer.ts";
import type {
  ApiFunctions,
  HostFunctions,
  JobFunctions,
  RecorderFunctions,
  ResponseFunctions,
  ThreadOptions,
} from "../threads.ts";
import type { CommonParts } from "./common-parts.ts";
import { gatewayFunctions } from "./gateway-functions.ts";
import { GatewayThreads } from "./gateway-threads.ts";
import { REREADING_STUCK_MS, watchReading } from "./reading-watch.ts";
import { listenFailure } from "./start-error.ts";
import { inTime, Supervised } from "./supervise.ts";

/** Milliseconds that the recorder gets to bring the rest of the spool into the database; what remains is recorded at the next start. */
const RECORDER_STOP_MS = 60_000;
const API_STOP_MS = 5_000;
/** Milliseconds that a job gets to finish its step; it continues where it was at the next start. */
const JOBS_STOP_MS = 10_000;
/** Milliseconds that the jobs get to learn that the gateway is about to stop. */
const JOBS_PAUSE_MS = 1_000;

/** The recorder's functions that the API calls. */
const CALLED_BY_API = [
  "claimId",
  "barrier",
  "storeInFlight",
  "indexWords",
  "update",
  "rewrite",
  "remove",
  "import",
  "note",
  "relearn",
  "hookHealth",
  "metrics",
  "status",
] as const;

const CALLED_BY_JOBS = ["rewrite", "relearn", "remove", "maintain", "status", "barrier", "update", "usageOf"] as const;

interface RegionOptions {
  /** This region's own: addresses, database, directory. */
  readonly config: Config;
  /** The region whose database holds keys, domains, limits and prices; missing for that region itself. */
  readonly home?: Config | undefined;
  readonly log: Log;
}

/**
 * One region: a gateway, a spool, a recorder, jobs and an API over a database of its own. A process serves one or two;
 * `serve.ts` creates what they share.
 *
 * The constructor starts the spool and the recorder's thread, so that they load in parallel with the rest.
 */
export class Region {
  readonly config: Config;
  readonly spool: Spool;
  readonly recorder: Supervised<RecorderFunctions>;
  readonly #spoolDirectory: string;
  readonly #home: Config | undefined;
  readonly #log: Log;
  #gateway: Gateway | undefined;
  #hooks: Hooks | undefined;
  #threads: GatewayThreads | undefined;
  #jobs: Supervised<JobFunctions> | undefined;
  #api: Supervised<ApiFunctions> | undefined;
  readonly #watches: (() => void)[] = [];
  /** Ports of this program's listeners, and of this region's API; 0 until it listens. */
  #listeners = { own: [] as readonly number[], api: 0 };

  constructor({ config, home, log }: RegionOptions) {
    this.config = config;
    this.#home = home;
    this.#log = home === undefined ? log : log.with({ region: config.region });
    this.#spoolDirectory = join(config.data_dir, "spool");
    this.spool = openSpool({ directory: this.#spoolDirectory, sync: config.spool_sync, log: this.#log });
    this.recorder = this.#startRecorder();
  }

  /** Opens the gateway's listener: traffic now passes, and is written to the spool. @returns its port. */
  async openGateway(common: CommonParts): Promise<number> {
    const { registry, hooks, vault, credentialTests: _tests, ssoSecrets: _secrets, onKeys: _onKeys, ...more } = common;
    this.#watchHooks(hooks.hooks);
    const config = await this.#gatewayConfig();
    const trouble = () => [...this.#trouble(), ...(common.limits?.degraded ?? [])];
    this.#gateway = await startGateway({
      config,
      log: this.#log,
      spool: this.spool,
      registry: registry.current,
      hooks: hooks.hooks,
      degraded: () => [...trouble(), ...registry.degraded(), ...hooks.degraded(), ...vault.degraded],
      tables: () => vault.tables,
      recorded: this.recorder.forward(["responseOf", "turnsBefore", "itemsOf", "callStates"]),
      ...more,
    }).catch((error) => {
      throw this.#listenFailure(error, "gateway_port");
    });
    const { port } = this.#gateway;
    if (config.gateway_threads > 1) await this.#startThreads({ ...config, gateway_port: port }, common);
    return port;
  }

  /** Port of the unified address; undefined if it has no port of its own. */
  get unifiedPort(): number | undefined {
    return this.#gateway?.unifiedPort;
  }

  /** Starts the jobs and the API. @returns the API's port, once it listens. */
  openApi(common: CommonParts): Promise<number> {
    // The start does not wait for the jobs: a thread that fails is reported as degraded.
    this.#jobs = this.#startJobs();
    const { thread, port } = this.#startApi(common);
    this.#api = thread;
    return port.catch((error) => {
      throw this.#listenFailure(error, "api_port");
    });
  }

  /** @throws what keeps the recorder from starting. @param patienceMs - how long to wait for a recorder that is only slow. */
  async recorderStarts(patienceMs: number): Promise<void> {
    const { recorder } = this;
    if (await inTime(recorder.started(), patienceMs)) return void (await recorder.started());
    recorder.persist();
    this.#log.warn("the recorder does not write yet: what passes waits in the spool");
  }

  /** Sets the ports of this program's other listeners: never a target. */
  refuseTargetsAt(ports: readonly number[]): void {
    this.#gateway?.setOwnPorts(ports);
    void this.#threads?.tell({ ownPorts: ports });
    this.#listeners.own = [...this.#listeners.own, ...ports];
  }

  /** The targets that plugins allow in addition to `allow_private_targets` have changed; the first gateway thread polls them itself. */
  openPrivateTargets(privateTargets: readonly string[]): void {
    void this.#threads?.tell({ privateTargets });
  }

  /** Credentials or routes have changed; the first gateway thread polls them itself. */
  async spreadTables(tables: RoutingTables): Promise<void> {
    await this.#threads?.tell({ tables });
  }

  /** Sets the models that a credential's provider lists. Only the first gateway thread serves requests that need them. */
  setListed(credential: Credential, models: readonly string[] | undefined): void {
    this.#gateway?.setListed(credential, models);
  }

  async drain(seconds: number): Promise<void> {
    await this.#pauseJobs();
    const others = this.#threads?.stop(seconds);
    await Promise.all([this.#gateway?.drain(seconds, others), others]);
  }

  /** Requests of the jobs would keep the gateway from draining. */
  async #pauseJobs(): Promise<void> {
    const paused = this.#jobs?.forward(["pause"]).pause();
    if (paused !== undefined) await inTime(paused, JOBS_PAUSE_MS);
  }

  /** Stops whatever was started, in reverse order; never rejects. */
  async takeDown(): Promise<void> {
    await this.drain(0);
    await this.#jobs?.stop("stop", JOBS_STOP_MS);
    await this.spool.close();
    for (const stop of this.#watches) stop();
    const recorded = await this.recorder.stop("stop", RECORDER_STOP_MS);
    if (!recorded && this.#api !== undefined) {
      this.#log.warn("the recorder did not finish; the spool keeps the rest for the next start");
    }
    await this.#api?.stop("stop", API_STOP_MS);
  }

  /** Names this region's own configuration keys. */
  #listenFailure(error: unknown, key: "gateway_port" | "api_port"): unknown {
    return listenFailure(error, this.#home === undefined ? key : `eu_${key}`, this.config);
  }

  /** Problems of its threads, one sentence each. */
  #trouble(): readonly string[] {
    const ours = [this.recorder.trouble, this.#jobs?.trouble, this.#api?.trouble].filter((each) => each !== undefined);
    return [...ours, ...(this.#threads?.trouble ?? [])];
  }

  /** Threads share their port as nodes do, but only with each other unless configured otherwise. */
  async #gatewayConfig(): Promise<Config> {
    const { config } = this;
    if (config.gateway_threads === 1 || config.gateway_port_shared === "yes") return config;
    const { host, gateway_port: port } = config;
    await checkPort(host, port).catch((error) => {
      throw this.#listenFailure(error, "gateway_port");
    });
    return { ...config, gateway_port_shared: "yes" };
  }

  async #startThreads(
    config: Config,
    { hooks, keys = [], privateTargets, otherPorts = [], vault }: CommonParts,
  ): Promise<void> {
    this.#threads = new GatewayThreads({
      config,
      log: this.#log,
      spool: this.spool,
      gateway: this.#gateway!,
      hooks: hooks.hooks,
      terms: { keys, ownPorts: otherPorts, privateTargets: privateTargets?.() ?? [], tables: vault.tables },
    });
    await this.#threads.started();
  }

  #threadOptions(more: Partial<ThreadOptions> = {}): ThreadOptions {
    return { config: this.config, ...(this.#home && { home: this.#home }), ...more };
  }

  #startRecorder(): Supervised<RecorderFunctions> {
    const { bodyKey } = this.spool;
    let databaseWasThere = false;
    const recorder = new Supervised<RecorderFunctions>({
      name: "recorder",
      start: (ended) => {
        const [toGateway, itsGateway] = threadPorts();
        toGateway.start();
        expose(toGateway, this.#responseFunctions());
        const options = this.#threadOptions({ bodyKey, databaseWasThere, ...(ended !== undefined && { ended }) });
        return startThread("src/recorder/worker.ts", options, { gateway: itsGateway });
      },
      onStarted: async (remote) => {
        await remote.ready();
        await remote.showResponses(this.#hooks?.has("onAnswer") ?? false);
        databaseWasThere = true;
      },
      log: this.#log,
    });
    this.#watches.push(watchReading({ directory: this.#spoolDirectory, onStuck: (reason) => recorder.end(reason) }));
    recorder.started().catch(() => undefined); // awaited later, unless something else fails first
    return recorder;
  }

  /** How the recorder shows plugins what it has recorded. */
  #responseFunctions(): ResponseFunctions {
    return {
      onResponses: (responses) => callOnAnswer(this.#hooks, responses),
      onUsed: (used) => this.#gateway?.noteUsed(used),
    };
  }

  /** Plugins come and go; a restarted recorder queries this itself. */
  #watchHooks(hooks: Hooks): void {
    this.#hooks = hooks;
    const { showResponses } = this.recorder.forward(["showResponses"]);
    const show = () => void showResponses(hooks.has("onAnswer")).catch(() => undefined);
    this.#watches.push(hooks.watch(show));
    if (hooks.has("onAnswer")) show();
  }

  #startJobs(): Supervised<JobFunctions> {
    const jobs = new Supervised<JobFunctions>({
      name: "jobs",
      start: () => {
        const [toRecorder, itsRecorder] = threadPorts();
        const [toHost, itsHost] = threadPorts();
        const [toRequests, itsRequests] = threadPorts();
        for (const each of [toRecorder, toHost, toRequests]) each.start();
        expose(toRecorder, this.recorder.forward(CALLED_BY_JOBS));
        const host: HostFunctions = {
          ports: () => this.#listeners,
          leaveSegment: () => this.spool.leaveSegment(),
        };
        expose(toHost, host);
        const endRequests = takeOver(toRequests, this.#gateway!.serveFor);
        const ports = { recorder: itsRecorder, host: itsHost, requests: itsRequests };
        const started = startThread("src/jobs/worker.ts", this.#threadOptions(), ports);
        void started.ended.then(endRequests);
        return started;
      },
      onStarted: (remote) => remote.ready(),
      log: this.#log,
    });
    jobs.persist();
    this.#watches.push(
      watchReading({
        directory: this.#spoolDirectory,
        files: REREADING,
        onStuck: (reason) => jobs.end(reason),
        limitMs: REREADING_STUCK_MS,
      }),
    );
    return jobs;
  }

  /** The API calls the other threads through this one, so that it also reaches a restarted recorder. */
  #startApi(common: CommonParts): { thread: Supervised<ApiFunctions>; port: Promise<number> } {
    const first = Promise.withResolvers<number>();
    let port = this.config.api_port;
    const thread = new Supervised<ApiFunctions>({
      name: "API",
      start: () => {
        const [toRecorder, itsRecorder] = threadPorts();
        const [toGateway, itsGateway] = threadPorts();
        const [toJobs, itsJobs] = threadPorts();
        const [toRequests, itsRequests] = threadPorts();
        for (const each of [toRecorder, toGateway, toJobs, toRequests]) each.start();
        expose(toRecorder, this.recorder.forward(CALLED_BY_API));
        expose(toJobs, this.#jobs!.forward(["expedite", "relearn", "metrics"]));
        const { config, spool } = this;
        const parts = { config, spool, log: this.#log, gateway: this.#gateway!, threads: this.#threads };
        expose(toGateway, gatewayFunctions(parts, common));
        // A restarted thread keeps the port that was chosen the first time.
        const { ssoSecrets } = common;
        const options = this.#threadOptions({ config: { ...this.config, api_port: port }, ssoSecrets });
        const endRequests = takeOver(toRequests, this.#gateway!.serveFor);
        const ports = { recorder: itsRecorder, gateway: itsGateway, jobs: itsJobs, requests: itsRequests };
        const started = startThread("src/api/worker.ts", options, ports);
        void started.ended.then(endRequests);
        return started;
      },
      onStarted: async (remote) => {
        port = (await remote.ready()).port;
        this.#listeners.api = port;
        first.resolve(port);
      },
      log: this.#log,
    });
    thread.started().catch(first.reject);
    return { thread, port: first.promise };
  }
}
