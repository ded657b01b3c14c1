import { KeyRing, type KeySnapshot } from "../../keys.ts";
import { type Log, messageOf } from "../../log.ts";
import { ChangeGate } from "../../store/database/change-gate.ts";
import { snapshotKeys } from "../../store/keys.ts";
import { keysFingerprint, noteKnownKeys, touchKeys } from "../../store/known-keys.ts";
import type { Store } from "../../store/store.ts";
import { Followed } from "./followed.ts";

/** How often times of last use are written. */
const TOUCH_MS = 5_000;

interface KeyWatchOptions {
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly log: Log;
  /** The region under which this service reports the keys it knows: commands wait there until their change has arrived. */
  readonly noteAs?: string | undefined;
  /** Publishes new keys to the other threads that check them. */
  readonly publish: (keys: readonly KeySnapshot[]) => Promise<void>;
}

/** The keys of the database; while it is unavailable, the last known ones. */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  readonly #followed: Followed<readonly KeySnapshot[]>;
  readonly ring = new KeyRing();
  #byId: ReadonlyMap<string, KeySnapshot> = new Map();
  #noted = "";
  #usedAt = new Map<string, number>();
  #touchedAt = performance.now();

  constructor(options: KeyWatchOptions) {
    const { reader, publish, log } = options;
    const gate = new ChangeGate([reader.records]);
    this.#options = options;
    this.#followed = new Followed<readonly KeySnapshot[]>({
      what: "keys",
      log,
      mayHaveChanged: () => {
        this.ring.forgetTexts(); // at each poll, also while the database is unavailable
        return gate.isOpen();
      },
      fingerprint: () => keysFingerprint(reader.records),
      read: () => snapshotKeys(reader.records),
      publish: async (keys) => {
        await publish(keys);
        this.ring.replace(keys);
        this.#byId = new Map(keys.map((key) => [key.id, key]));
      },
      onLook: async () => {
        await this.#note();
        await this.#touch(TOUCH_MS);
      },
    });
  }

  byId(id: string): KeySnapshot | undefined {
    return this.#byId.get(id);
  }

  /** An organization's key, by its id or by a name that is unique among its keys. */
  find(organizationId: string, idOrName: string): KeySnapshot | undefined {
    const own = [...this.#byId.values()].filter((key) => key.organizationId === organizationId);
    const named = own.filter(({ name }) => name === idOrName);
    return own.find(({ id }) => id === idOrName) ?? (named.length === 1 ? named[0] : undefined);
  }

  used(id: string): void {
    this.#usedAt.set(id, Date.now());
  }

  /** Why the keys may be out of date, or undefined. */
  get error(): string | undefined {
    return this.#followed.error;
  }

  /** Reads and publishes the keys, and keeps doing so. Resolves after the first attempt, even if it failed. */
  start(): Promise<void> {
    return this.#followed.start();
  }

  /** Reads the keys now. @throws if the database is unavailable, or publishing failed. */
  refresh(): Promise<void> {
    return this.#followed.refresh();
  }

  /** Publishes keys that were just made or revoked; if that fails, the next poll retries. */
  spread(): Promise<void> {
    return this.#followed.spread();
  }

  async stop(): Promise<void> {
    await this.#followed.stop();
    await this.#touch(0);
  }

  /** While the database cannot be written, no command can have changed a key either. */
  async #note(): Promise<void> {
    const { noteAs, writer, log } = this.#options;
    const { fingerprint } = this.#followed;
    if (noteAs === undefined || fingerprint === this.#noted) return;
    try {
      await noteKnownKeys((await writer()).records, noteAs, fingerprint);
      this.#noted = fingerprint;
    } catch (error) {
      log.debug("cannot store which keys are in use", { why: messageOf(error) });
    }
  }

  async #touch(everyMs: number): Promise<void> {
    if (this.#usedAt.size === 0 || performance.now() - this.#touchedAt < everyMs) return;
    const usedAt = this.#usedAt;
    this.#usedAt = new Map();
    this.#touchedAt = performance.now();
    try {
      await touchKeys((await this.#options.writer()).records, usedAt);
    } catch (error) {
      // Not worth failing for: the next use writes the time again.
      this.#options.log.debug("time of last use not written", { why: messageOf(error) });
    }
  }
}
