import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../log.ts";
import { connect, type Exposed, type Remote } from "../runtime/rpc.ts";
import type { Thread } from "../runtime/thread.ts";
import { within } from "../runtime/within.ts";

const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 10_000;
/** After this lifetime a thread is restarted without a delay. */
const SETTLED_MS = 60_000;
/** How long a call waits for a restarting thread. */
const CALL_PATIENCE_MS = 5_000;

interface SupervisedOptions<F extends Exposed> {
  readonly name: string;
  /** @param ended - how the thread before this one ended, if there was one. */
  readonly start: (ended?: string) => Thread;
  /** Called each time the thread has started; the thread serves once the result resolves. */
  readonly onStarted: (remote: Remote<F>) => Promise<unknown>;
  readonly log: Log;
}

/** A thread that is restarted, with growing pauses, when it ends by itself. */
export class Supervised<F extends Exposed> {
  readonly #options: SupervisedOptions<F>;
  /** Resolves when a thread serves; replaced when that thread ends. */
  #serving = Promise.withResolvers<Remote<F>>();
  #state: "starting" | "up" | "down" | "stopping" = "starting";
  #thread: Thread | undefined;
  /** How the previous thread ended. */
  #ended: string | undefined;
  /** Why the current thread is ended by force. */
  #endedFor: string | undefined;

  constructor(options: SupervisedOptions<F>) {
    this.#options = options;
    void this.#run();
  }

  /** Resolves when the thread serves for the first time. Rejects with the reason if it never does. */
  started(): Promise<Remote<F>> {
    return this.#serving.promise;
  }

  /** From now on a thread that never served is restarted too. */
  persist(): void {
    if (this.#state === "starting") this.#state = "down";
    // The start is no longer awaited.
    this.#serving.promise.catch(() => undefined);
  }

  /** Why the thread cannot be used now, or undefined. */
  get trouble(): string | undefined {
    return this.#state === "down" ? `the ${this.#options.name} thread does not serve yet` : undefined;
  }

  /** The functions of these names, each calling whichever thread serves at the time of the call; for `expose`. */
  forward<K extends keyof F & string>(names: readonly K[]): Pick<Remote<F>, K> {
    const functions = names.map((name) => [name, (...args: Parameters<F[K]>) => this.#call(name, args)]);
    return Object.fromEntries(functions) as Pick<Remote<F>, K>;
  }

  /** Ends the thread by its own function `name`, waiting at most `patienceMs`. @returns whether it ended in order. */
  async stop<K extends keyof F & string>(name: K, patienceMs: number, ...args: Parameters<F[K]>): Promise<boolean> {
    const wasUp = this.#state === "up";
    this.#state = "stopping";
    if (!wasUp) return false;
    const remote = await this.#serving.promise;
    return inTime(remote[name](...args), patienceMs);
  }

  /** Ends the current thread, which is stuck outside of any query; another one replaces it. */
  end(reason: string): void {
    if (this.#state === "stopping") return;
    this.#endedFor = reason;
    void this.#thread?.terminate();
  }

  async #call<K extends keyof F & string>(name: K, args: Parameters<F[K]>): Promise<Awaited<ReturnType<F[K]>>> {
    const { promise } = this.#serving;
    if (this.#state !== "up" && !(await inTime(promise, CALL_PATIENCE_MS))) {
      throw new Error(`the ${this.#options.name} thread does not serve now`);
    }
    return (await promise)[name](...args);
  }

  async #run(): Promise<void> {
    const { name, log } = this.#options;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedMs = performance.now();
      const reason = await this.#live();
      if (this.#state === "stopping") return;
      this.#ended = this.#endedFor ?? "the thread ended";
      this.#endedFor = undefined;
      if (this.#state === "starting") {
        this.#serving.reject(reason);
        return;
      }
      this.#state = "down";
      if (performance.now() - startedMs > SETTLED_MS) pauseMs = FIRST_PAUSE_MS;
      log.error(`the ${name} thread ended and is restarted`, { reason: reason.message, pauseMs });
      await sleep(pauseMs);
      if (this.#isStopping()) return;
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
    }
  }

  #isStopping(): boolean {
    return this.#state === "stopping";
  }

  /** From the start of one thread to its end. Resolves with the reason. */
  async #live(): Promise<Error> {
    const { name, start, onStarted } = this.#options;
    const thread = start(this.#ended);
    this.#thread = thread;
    const remote = connect<F>(thread.port);
    const ended = thread.ended.then((error) => {
      const reason = new Error(`the ${name} thread ended: ${error?.message ?? "by itself"}`, { cause: error });
      remote.abandon(reason.message);
      return reason;
    });
    try {
      const early = await Promise.race([onStarted(remote), ended]);
      if (early instanceof Error) return early;
    } catch (error) {
      // The thread itself reported that it cannot serve, so it is in no query and may be ended.
      await thread.terminate();
      return error instanceof Error ? error : new Error(String(error));
    }
    if (this.#state !== "stopping") this.#state = "up";
    this.#serving.resolve(remote);
    const reason = await ended;
    this.#serving = Promise.withResolvers();
    return reason;
  }
}

/** Whether the promise is fulfilled within the time. */
export function inTime(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const isWell = promise.then(
    () => true,
    () => false,
  );
  return within(isWell, milliseconds, () => false);
}
