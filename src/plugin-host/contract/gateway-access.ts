import type { Json } from "./json.ts";

/**
 * A plugin's few important facts, shared by all processes on the database and kept in memory; a change by another process,
 * such as the command line, is visible within half a second.
 */
export interface PluginStore {
  entries(): ReadonlyMap<string, Json>;
  /** Resolves once the value is in the database and visible in `entries`. @throws if the database cannot be written. */
  put(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
  /** Called after `entries` has changed, whatever the cause. */
  onChange(listener: () => void): void;
}

/**
 * A plugin's counts, on this machine only: a list of JSON values in a file. Appended values reach the page cache at the end
 * of the turn, before the response to the request that caused them, so they survive a kill.
 */
export interface PluginJournal {
  /** Everything written before, oldest first. A torn last line is skipped. */
  read(): Json[];
  append(entry: Json): void;
  /** From time to time the file is rewritten: the result of `snapshot` replaces all appended values. */
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

/** This node's count of a limit in its window, and the expected count of another request. */
export interface ShareState {
  readonly used: number;
  readonly likely: number;
}

/** This node's share of a limit shared by several nodes. */
export interface PluginShare {
  /** How much this node may currently count in the window. Called once per request; the calls measure the demand. */
  allowed(): number;
  /** How much the other nodes may have counted, as far as this node knows. */
  others(): number;
  /**
   * Whether a request could increase the share. False while the database is unreachable, and right after the other nodes
   * held everything.
   */
  mayGrow(): boolean;
  /** Requests a larger share. Resolves within a second; `allowed` then has the result. */
  ask(): Promise<void>;
  set(limit: ShareLimit): void;
  release(): void;
}

export interface PluginShares {
  /**
   * Opens an empty share.
   *
   * @param key - the same on every node.
   * @param state - called whenever this node negotiates the share with the other nodes.
   */
  open(key: string, limit: ShareLimit, state: () => ShareState): PluginShare;
}

/** Milliseconds since 1970: `start` inclusive, `end` exclusive. */
export interface CalendarPeriod {
  readonly start: number;
  readonly end: number;
}

/** The gateway thread's services for a plugin. */
export interface GatewayAccess {
  /** Present if several nodes may share a database: counts are then divided among them. */
  readonly shares?: PluginShares;
  readonly store: PluginStore;
  readonly journal: PluginJournal;
  /** The organization of a service key, including expired and revoked keys; undefined if no key has this id. */
  organizationOfKey(keyId: string): string | undefined;
  /** Host patterns of all loaded providers, and the hosts of their targets. */
  providerHosts(): readonly string[];
  /**
   * The recorded usage of finished exchanges; resolves once the recorder has seen all that ended before the call, usually
   * within 50 ms. An id that is missing from the result has no finished record.
   */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /**
   * The day, week (from Monday) or month of a time, in a time zone. Takes about 100 µs: cache the result while it is valid.
   *
   * @throws RangeError if the time zone is unknown.
   */
  periodOf(calendar: "day" | "week" | "month", timeZone: string, time: number): CalendarPeriod;
  /** Whether `allow_private_targets` allows a host, on any port. @param host - lower case, without port. */
  opensPrivateTarget(host: string): boolean;
  /** Replaces this plugin's additions to `allow_private_targets`, in the same form: names, addresses, CIDR blocks. */
  openPrivateTargets(entries: readonly string[]): void;
}
