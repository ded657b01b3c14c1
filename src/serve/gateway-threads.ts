import type { Config } from "../config.ts";
import { serveHooks } from "../gateway/further-threads/serve-hooks.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Log } from "../log.ts";
import type { Hooks } from "../plugin-host/hooks/hooks.ts";
import { takeOver } from "../runtime/http/take-over.ts";
import { expose } from "../runtime/rpc.ts";
import { startThread, type Thread, threadPorts } from "../runtime/thread.ts";
import type { Spool } from "../spool/writer.ts";
import type {
  FirstGatewayFunctions,
  FurtherGatewayFunctions,
  FurtherGatewayOptions,
  GatewayCounts,
  GatewayStatus,
  GatewayTerms,
} from "../threads.ts";
import { Supervised } from "./supervise.ts";

/** Milliseconds beyond the drain time that a thread gets to close its connections. */
const STOP_MS = 10_000;

interface GatewayThreadsOptions {
  /** The region's, with the first thread's port. */
  readonly config: Config;
  readonly log: Log;
  readonly spool: Spool;
  /** The first thread's. */
  readonly gateway: Gateway;
  readonly hooks: Hooks;
  readonly terms: GatewayTerms;
}

/**
 * The gateway threads besides the first one, which is the main thread: they listen on its port and write into its spool.
 * Plugins, the cache and the ids that clients choose stay in the first one, which the others call.
 */
export class GatewayThreads {
  readonly #options: GatewayThreadsOptions;
  /** By number; the main thread is number 1. */
  readonly #threads = new Map<number, Supervised<FurtherGatewayFunctions>>();
  #terms: GatewayTerms;
  /** Counts of threads that have ended, and the last counts of the others. */
  readonly #past: GatewayCounts[] = [];
  readonly #last = new Map<number, GatewayCounts>();

  constructor(options: GatewayThreadsOptions) {
    this.#options = options;
    this.#terms = options.terms;
    for (let number = 2; number <= options.config.gateway_threads; number++) {
      this.#threads.set(number, this.#start(number));
    }
  }

  /** Resolves once all of them listen. */
  async started(): Promise<void> {
    await Promise.all(this.#all().map((thread) => thread.started()));
  }

  /** Problems of the threads, one sentence each. */
  get trouble(): readonly string[] {
    return this.#all()
      .map(({ trouble }) => trouble)
      .filter((each) => each !== undefined);
  }

  /** Resolves once every thread has applied the change; a thread that is restarting gets it afterwards. */
  async tell(change: Partial<GatewayTerms>): Promise<void> {
    const ownPorts = [...this.#terms.ownPorts, ...(change.ownPorts ?? [])];
    this.#terms = { ...this.#terms, ...change, ownPorts };
    await Promise.allSettled(this.#all().map((thread) => thread.forward(["tell"]).tell(change)));
  }

  /** The first thread's status, combined with those of the other threads that serve now. */
  async status(own: GatewayStatus): Promise<GatewayStatus> {
    const calls = [...this.#serving().values()].map((thread) => thread.forward(["status"]).status());
    const results = await Promise.allSettled(calls);
    const all = [own, ...results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))];
    return {
      ...own,
      inFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
      spoolHealthy: all.every(({ spoolHealthy }) => spoolHealthy),
      spoolError: all.map(({ spoolError }) => spoolError).find((error) => error !== null) ?? null,
      exchangesDropped: all.reduce((sum, { exchangesDropped }) => sum + exchangesDropped, 0),
      degraded: [...new Set(all.flatMap(({ degraded }) => degraded))],
    };
  }

  /** The counts of all threads, including those that were restarted. */
  async counts(): Promise<readonly GatewayCounts[]> {
    const calls = [...this.#serving()].map(async ([number, thread]) => {
      this.#last.set(number, await thread.forward(["counts"]).counts());
    });
    await Promise.allSettled(calls);
    return [...this.#past, ...this.#last.values()];
  }

  /** Stops them like the first one: no new connections, and `drainSeconds` for requests in flight. */
  async stop(drainSeconds: number): Promise<void> {
    const patienceMs = drainSeconds * 1_000 + STOP_MS;
    await Promise.all(this.#all().map((thread) => thread.stop("stop", patienceMs, drainSeconds)));
  }

  #all(): readonly Supervised<FurtherGatewayFunctions>[] {
    return [...this.#threads.values()];
  }

  /** Only threads that can respond without a wait. */
  #serving(): ReadonlyMap<number, Supervised<FurtherGatewayFunctions>> {
    return new Map([...this.#threads].filter(([, { trouble }]) => trouble === undefined));
  }

  #start(number: number): Supervised<FurtherGatewayFunctions> {
    const thread = new Supervised<FurtherGatewayFunctions>({
      name: `gateway (${number})`,
      start: () => this.#startThread(number),
      onStarted: async (remote) => {
        await remote.listen(this.#terms);
        await remote.tell(this.#terms); // changes since the start of this thread
      },
      log: this.#options.log,
    });
    thread.started().catch(() => undefined); // `started` reports it
    return thread;
  }

  #startThread(number: number): Thread {
    const { config, spool, gateway, hooks } = this.#options;
    const share = spool.share();
    const [toThread, itsFirst] = threadPorts();
    const [toHooks, itsHooks] = threadPorts();
    const [toRequests, itsRequests] = threadPorts();
    for (const each of [toThread, toHooks, toRequests]) each.start();
    expose(toThread, { claimId: gateway.takeId } satisfies FirstGatewayFunctions);
    const forgetHooks = serveHooks(toHooks, hooks);
    const endRequests = takeOver(toRequests, gateway.serve);
    const options: FurtherGatewayOptions = { config, share, changes: hooks.admissions.changes };
    const ports = { first: itsFirst, hooks: itsHooks, requests: itsRequests };
    const thread = startThread("src/gateway/worker.ts", options, ports);
    void thread.ended.then(() => {
      endRequests();
      forgetHooks();
      spool.lost(share.writer);
      this.#remember(number);
    });
    return thread;
  }

  #remember(number: number): void {
    const last = this.#last.get(number);
    this.#last.delete(number);
    if (last !== undefined) this.#past.push({ ...last, inFlight: 0, spoolHealthy: true });
  }
}
