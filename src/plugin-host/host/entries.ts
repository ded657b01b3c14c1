import { type Log, messageOf } from "../../log.ts";
import type { Acting } from "../../people/actor.ts";
import type { Json, PluginStore } from "../contract.ts";
import { actingFor } from "./acting.ts";

/** One entry of a plugin's store on its way to the database: JSON text, or null if it was removed. */
export interface Entry {
  readonly plugin: string;
  readonly key: string;
  readonly value: string | null;
}

/** `version` rises with every write to the database, from any process. */
export interface StoredEntry extends Entry {
  readonly version: number;
}

interface EntriesOptions {
  /** Entries written after `version`, in the order of writing. */
  readonly read: (version: number) => Promise<readonly StoredEntry[]>;
  readonly write: (entries: readonly Entry[], by: Acting) => Promise<void>;
  readonly log: Log;
}

/** How often changes by other processes are read, so that those of the command line take effect within a second. */
const POLL_MS = 250;

interface PluginEntries {
  readonly values: Map<string, Json>;
  readonly listeners: Set<() => void>;
}

/** The stores of all plugins, in memory and synchronized with the database. */
export class Entries {
  readonly #options: EntriesOptions;
  readonly #plugins = new Map<string, PluginEntries>();
  #version = 0;
  /** Serializes reads and writes: an earlier read must not undo a write. */
  #turn: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failed = false;
  #closed = false;

  constructor(options: EntriesOptions) {
    this.#options = options;
  }

  /** Reads new writes. @throws if the database cannot be read. */
  load(read: EntriesOptions["read"] = this.#options.read): Promise<void> {
    return this.#inTurn(async () => {
      const changed = await read(this.#version);
      const plugins = new Set<PluginEntries>();
      for (const { plugin, key, value, version } of changed) {
        const entries = this.#of(plugin);
        set(entries, key, value);
        plugins.add(entries);
        this.#version = Math.max(this.#version, version);
      }
      for (const { listeners } of plugins) for (const listener of listeners) listener();
    });
  }

  /** Follows changes by other processes, until `close`. */
  follow(): void {
    this.#timer = setTimeout(async () => {
      try {
        await this.load();
        this.#failed = false;
      } catch (error) {
        // A read that is in progress during a stop gets no response.
        if (!this.#failed && !this.#closed)
          this.#options.log.warn("plugins' stores cannot be read", { why: messageOf(error) });
        this.#failed = true;
      }
      if (!this.#closed) this.follow();
    }, POLL_MS);
    this.#timer.unref();
  }

  /** Stops following; stores can still be written. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** The store of a plugin; after `release` it reports no more changes. */
  storeOf(plugin: string): PluginStore & { readonly release: () => void } {
    const entries = this.#of(plugin);
    const own: (() => void)[] = [];
    const write = (key: string, value: string | null) => {
      const by = actingFor(plugin);
      return this.#inTurn(async () => {
        await this.#options.write([{ plugin, key, value }], by);
        set(entries, key, value);
        for (const listener of entries.listeners) listener();
      });
    };
    return {
      entries: () => entries.values,
      put: (key, value) => write(key, JSON.stringify(value)),
      remove: (key) => write(key, null),
      onChange(listener) {
        entries.listeners.add(listener);
        own.push(listener);
      },
      release() {
        for (const listener of own) entries.listeners.delete(listener);
      },
    };
  }

  #of(plugin: string): PluginEntries {
    let entries = this.#plugins.get(plugin);
    if (entries === undefined) {
      entries = { values: new Map(), listeners: new Set() };
      this.#plugins.set(plugin, entries);
    }
    return entries;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {}); // the caller gets the error; the next task still runs
    return done;
  }
}

function set({ values }: PluginEntries, key: string, value: string | null): void {
  if (value === null) values.delete(key);
  else values.set(key, JSON.parse(value));
}
