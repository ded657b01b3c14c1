import type { KeySnapshot } from "../../keys.ts";
import { type Log, messageOf } from "../../observe.ts";
import { keysFingerprint, snapshotKeys, touchKeys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

/** How often the database is asked whether keys have changed: a change by the command line counts within a second. */
const POLL_MS = 300;
/** How often the times of last use are written. */
const TOUCH_MS = 5_000;

interface KeyWatchOptions {
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly log: Log;
  /** Hands new keys to whoever else checks them. */
  readonly publish: (keys: readonly KeySnapshot[]) => Promise<void>;
}

/** Knows the keys of the database; while that is away, the last ones it knew. */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  #byHash: ReadonlyMap<string, KeySnapshot> = new Map();
  #byId: ReadonlyMap<string, KeySnapshot> = new Map();
  #fingerprint = "";
  #usedAt = new Map<string, number>();
  #touchedAt = Date.now();
  #error: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: KeyWatchOptions) {
    this.#options = options;
  }

  byHash(hash: string): KeySnapshot | undefined {
    return this.#byHash.get(hash);
  }

  byId(id: string): KeySnapshot | undefined {
    return this.#byId.get(id);
  }

  used(id: string): void {
    this.#usedAt.set(id, Date.now());
  }

  /** Why the keys may be out of date, or undefined. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Reads the keys, hands them on, and keeps doing so. Resolves after the first time, also where that failed. */
  async start(): Promise<void> {
    await this.#poll();
  }

  /** Reads the keys now. @throws where the database is away, or the keys could not be handed on. */
  refresh(): Promise<void> {
    const next = this.#refreshing.catch(() => {}).then(() => this.#refresh());
    this.#refreshing = next;
    return next;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#refreshing.catch(() => {}); // its failure was logged by whoever asked
    await this.#touch(0);
  }

  async #poll(): Promise<void> {
    try {
      await this.refresh();
      await this.#touch(TOUCH_MS);
      if (this.#error !== undefined) this.#options.log.info("keys are up to date again");
      this.#error = undefined;
    } catch (error) {
      if (this.#error === undefined) this.#options.log.warn("keys cannot be read", { why: messageOf(error) });
      this.#error = messageOf(error);
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
  }

  async #refresh(): Promise<void> {
    const { records } = this.#options.reader;
    const fingerprint = await keysFingerprint(records);
    if (fingerprint === this.#fingerprint) return;
    const keys = await snapshotKeys(records);
    await this.#options.publish(keys);
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
    this.#byId = new Map(keys.map((key) => [key.id, key]));
    this.#fingerprint = fingerprint;
  }

  async #touch(everyMs: number): Promise<void> {
    if (this.#usedAt.size === 0 || Date.now() - this.#touchedAt < everyMs) return;
    const usedAt = this.#usedAt;
    this.#usedAt = new Map();
    this.#touchedAt = Date.now();
    try {
      await touchKeys((await this.#options.writer()).records, usedAt);
    } catch (error) {
      // A time of last use is not worth holding anything up for: the next use is written again.
      this.#options.log.debug("time of last use not written", { why: messageOf(error) });
    }
  }
}
