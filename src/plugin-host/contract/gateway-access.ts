import type { Json } from "./json.ts";

/**
 * A plugin's few important facts, the same for every process on the database. Kept in memory; a change by another process,
 * such as the command line, is visible within half a second.
 */
export interface PluginStore {
  entries(): ReadonlyMap<string, Json>;
  /** Resolves when it is in the database; `entries` shows it then. @throws if the database cannot be written. */
  put(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
  /** Called after `entries` has changed, from any source. */
  onChange(listener: () => void): void;
}

/**
 * A plugin's counts, on this machine only: a list of JSON values in a file. Appended values are in the page cache
 * at the end of the turn, before a response to the request that caused it, and so survive a kill.
 */
export interface PluginJournal {
  /** Everything from before, oldest first. A torn last line is skipped. */
  read(): Json[];
  append(entry: Json): void;
  /** The file is rewritten from time to time with the result of `snapshot` in place of all appended values. */
  onCompact(snapshot: () => Iterable<Json>): void;
}

/** The usage of a finished exchange; null if unknown. */
export interface RequestUsage {
  readonly requestId: string;
  /** US dollars. */
  readonly cost: number | null;
  readonly totalTokens: number | null;
}

export interface ShareLimit {
  readonly quota: number;
  readonly windowMs: number;
}

/** This node's count of a limit in its window, and the likely count of another request. */
export interface ShareState {
  readonly used: number;
  readonly likely: number;
}

/** This node's share of a limit shared by several nodes. */
export interface PluginShare {
  /** How much this node may currently count in the window. Called once per request, which signals the demand. */
  allowed(): number;
  /** How much the other nodes may have counted, as far as known. */
  others(): number;
  /** Whether a request may bring more: not while the database is away, and not right after the others had everything. */
  mayGrow(): boolean;
  /** Requests more. Resolves within a second; `allowed` then has the result. */
  ask(): Promise<void>;
  set(limit: ShareLimit): void;
  release(): void;
}

export interface PluginShares {
  /**
   * Opens a share, with nothing in it.
   *
   * @param key - the same on every node.
   * @param state - called whenever the share is negotiated with the other nodes.
   */
  open(key: string, limit: ShareLimit, state: () => ShareState): PluginShare;
}

/** Milliseconds since 1970: the first of it, and the first after it. */
export interface CalendarPeriod {
  readonly start: number;
  readonly end: number;
}

/** The gateway thread's services for a plugin. */
export interface GatewayAccess {
  /** Only if several nodes may share a database: counts are then divided among them. */
  readonly shares?: PluginShares;
  readonly store: PluginStore;
  readonly journal: PluginJournal;
  /** The organization of a service key, also of an expired or revoked one; undefined if no key has this id. */
  organizationOfKey(keyId: string): string | undefined;
  /** Host patterns of all loaded providers, and the hosts of their targets. */
  providerHosts(): readonly string[];
  /**
   * The recorded usage of finished exchanges; resolves once the recorder has seen all that ended before the call,
   * usually within 50 ms. An id that is missing from the response has no finished record.
   */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /**
   * The day, week (from Monday) or month of a time, in a time zone. It takes some 100 µs: keep the result while
   * it is valid.
   *
   * @throws RangeError if there is no such time zone.
   */
  periodOf(calendar: "day" | "week" | "month", timeZone: string, time: number): CalendarPeriod;
  /** Whether `allow_private_targets` opens a host, at any port. @param host - lower case, without port. */
  opensPrivateTarget(host: string): boolean;
  /** Replaces this plugin's additions to `allow_private_targets`, in the same form: names, addresses, CIDR blocks. */
  openPrivateTargets(entries: readonly string[]): void;
}
