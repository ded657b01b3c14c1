import { randomUUID } from "node:crypto";
import type { Config } from "../config.ts";
import { type Log, messageOf } from "../log.ts";
import { beat, leave, nodeIdOf, takeLease } from "../store/nodes/nodes.ts";
import { localPath, type Store } from "../store/store.ts";

/** Interval of a node's heartbeat and lease renewal. */
const BEAT_MS = 3_000;
/** How long a dead node still holds the jobs. */
const LEASE_MS = 15_000;
const JOBS = "jobs";

interface NodeOptions {
  readonly config: Config;
  readonly log: Log;
  readonly writer: () => Promise<Store>;
}

/**
 * This process among those that share its database: it sends heartbeats, and one node at a time runs the jobs. With a
 * database of its own it needs no lease.
 */
export class Node {
  readonly #options: NodeOptions;
  readonly #id: string | undefined;
  readonly #run = randomUUID();
  #timer: ReturnType<typeof setInterval> | undefined;
  #beating: Promise<void> | undefined;
  #isFirst = true;
  /** End of this node's lease of the jobs, on `performance.now()`. */
  #leasedUntilMs = 0;
  #failed = false;

  constructor(options: NodeOptions) {
    const { config } = options;
    this.#options = options;
    this.#id = localPath(config) === undefined ? nodeIdOf(config.data_dir) : undefined;
  }

  /** Resolves after the first heartbeat, even if it failed. */
  async start(): Promise<void> {
    if (this.#id === undefined) return;
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS);
    this.#timer.unref();
    await this.#beat();
  }

  /** Whether this node runs the jobs now. */
  get hasJobs(): boolean {
    return this.#id === undefined || performance.now() < this.#leasedUntilMs;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    if (this.#id === undefined) return;
    this.#leasedUntilMs = 0;
    try {
      await leave((await this.#options.writer()).records, this.#id, this.#run);
    } catch (error) {
      this.#options.log.debug("the node's end could not be noted", { error: messageOf(error) });
    }
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#announce().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #announce(): Promise<void> {
    const { log, writer } = this.#options;
    const id = this.#id!;
    try {
      const { records } = await writer();
      if (await beat(records, id, this.#run, this.#isFirst)) {
        log.error("another program writes under this node's id: a data directory was copied; delete its file node-id", {
          node: id,
        });
      }
      this.#isFirst = false;
      const startedMs = performance.now();
      const had = this.hasJobs;
      this.#leasedUntilMs = (await takeLease(records, JOBS, id, LEASE_MS)) ? startedMs + LEASE_MS : 0;
      if (!had && this.hasJobs) log.info("this node runs the jobs now", { node: id });
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) log.warn("the heartbeat of this node cannot be written", { error: messageOf(error) });
      this.#failed = true;
    }
  }
}
