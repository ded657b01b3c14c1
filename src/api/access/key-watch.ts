import { KeyRing, type KeySnapshot } from "../../keys.ts";
import { type Log, messageOf } from "../../log.ts";
import { snapshotKeys } from "../../store/keys.ts";
import { keysFingerprint, noteKnownKeys, touchKeys } from "../../store/known-keys.ts";
import type { Store } from "../../store/store.ts";
import { Followed } from "./followed.ts";

/** How often the times of last use are written. */
const TOUCH_MS = 5_000;

interface KeyWatchOptions {
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly log: Log;
  /** Where commands wait until this service knows the keys that they have changed: the region that it serves. */
  readonly noteAs?: string | undefined;
  /** Hands new keys to the other parts that check them. */
  readonly publish: (keys: readonly KeySnapshot[]) => Promise<void>;
}

/** Knows the keys of the database; while that is away, the last ones it knew. */
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
    this.#options = options;
    this.#followed = new Followed<readonly KeySnapshot[]>({
      what: "keys",
      log,
      fingerprint: () => {
        this.ring.forgetTexts(); // at each look, also while the database is away
        return keysFingerprint(reader.records);
      },
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

  /** An organization's key, by its id or by a name that no other key of it has. */
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

  /** Reads the keys, hands them on, and keeps doing so. Resolves after the first time, also where that failed. */
  start(): Promise<void> {
    return this.#followed.start();
  }

  /** Reads the keys now. @throws where the database is away, or the keys could not be handed on. */
  refresh(): Promise<void> {
    return this.#followed.refresh();
  }

  /** Keys that were just made or revoked count now; where that fails, the next look tries again. */
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
      // A time of last use is not worth holding anything up for: the next use is written again.
      this.#options.log.debug("time of last use not written", { why: messageOf(error) });
    }
  }
}
