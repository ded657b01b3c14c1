import type { Json } from "./json.ts";

/**
 * Settled facts of a plugin: few, precious, and the same for every process on the database. Kept in memory; a change by
 * another process, the command line for example, shows within half a second.
 */
export interface PluginStore {
  entries(): ReadonlyMap<string, Json>;
  /** Resolves when it is in the database; `entries` shows it then. @throws where the database cannot be written. */
  put(key: string, value: Json): Promise<void>;
  remove(key: string): Promise<void>;
  /** Called after `entries` has changed, whoever changed it. */
  onChange(listener: () => void): void;
}

/**
 * What a plugin counts, on this machine only: a list of JSON values in a file. What was appended is in the page cache
 * at the end of the turn, before an answer to the request that caused it, and so outlives a killed process.
 */
export interface PluginJournal {
  /** Everything from before, oldest first. A torn last line is left out. */
  read(): Json[];
  append(entry: Json): void;
  /** From time to time the file is written anew with what `snapshot` gives in place of all that was appended. */
  onCompact(snapshot: () => Iterable<Json>): void;
}

/** What a finished exchange used; null where it is not known. */
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

/** What this node has counted of a limit in its window, and what one more request is likely to count. */
export interface ShareState {
  readonly used: number;
  readonly likely: number;
}

/** This node's share of a limit that several nodes keep together. */
export interface PluginShare {
  /** How much this node may have counted in the window at present. Asked once per request: it tells the demand. */
  allowed(): number;
  /** What the other nodes may have counted, as far as is known. */
  others(): number;
  /** Whether asking may bring more: not while the database is away, and not right after the others had all. */
  mayGrow(): boolean;
  /** Asks for more. Resolves within a second; then `allowed` says what came of it. */
  ask(): Promise<void>;
  set(limit: ShareLimit): void;
  release(): void;
}

export interface PluginShares {
  /**
   * Opens a share, with nothing in it.
   *
   * @param key - the same on every node.
   * @param state - asked whenever the share is settled with the other nodes.
   */
  open(key: string, limit: ShareLimit, state: () => ShareState): PluginShare;
}

/** Milliseconds since 1970: the first of it, and the first after it. */
export interface CalendarPeriod {
  readonly start: number;
  readonly end: number;
}

/** What the gateway's thread lends to a plugin. */
export interface GatewayAccess {
  /** Only where several nodes may share a database: what is counted is then divided among them. */
  readonly shares?: PluginShares;
  readonly store: PluginStore;
  readonly journal: PluginJournal;
  /** Whose a service key is, also one that has expired or was revoked; undefined where no key has this id. */
  organizationOfKey(keyId: string): string | undefined;
  /** Host patterns of all loaded providers, and the hosts of their targets. */
  providerHosts(): readonly string[];
  /**
   * What is recorded of exchanges that have ended; resolves once the recorder has seen all that ended before the call,
   * usually within 50 ms. An id that is missing from the answer has no finished record.
   */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /**
   * The day, week (from Monday) or month that a moment is in, in a time zone. It takes some 100 µs: keep the answer while
   * it holds.
   *
   * @throws RangeError where there is no such time zone.
   */
  periodOf(calendar: "day" | "week" | "month", timeZone: string, time: number): CalendarPeriod;
  /** Whether `allow_private_targets` opens a host, at whichever port. @param host - lower case, without port. */
  opensPrivateTarget(host: string): boolean;
  /** Replaces what this plugin opens beside `allow_private_targets`, in the same form: names, addresses, CIDR blocks. */
  openPrivateTargets(entries: readonly string[]): void;
}
