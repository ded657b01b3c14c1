import type { Config } from "./config.ts";
import type { KeySnapshot } from "./keys.ts";
import type { RequestUsage, RouteAnswer, RouteCall } from "./plugin/contract.ts";
import type { Entry, StoredEntry } from "./plugin/host/entries.ts";
import type { ShareAnswer, ShareClaim } from "./plugin/host/shares.ts";
import type { RouteView } from "./plugin/routes.ts";
import type { HookHealth, PluginView, ProviderView } from "./plugin/view.ts";
import type { requests } from "./record/tables.ts";
import type { Position } from "./spool/frame.ts";
import type { WholeExchange } from "./spool/whole.ts";
import type { SpoolShare } from "./spool/writer.ts";

/**
 * What the threads can ask of each other. Types only: each thread implements its part where it lives, `runtime/rpc.ts`
 * carries the calls.
 */

/** Recorder thread; the only writer of records. */
export type RecorderFunctions = {
  /** Resolves once the database is migrated and the spool is being read. */
  ready(): Promise<void>;
  /** Whether a record of this id, in lower case, exists or is being made. */
  isKnownId(id: string): Promise<boolean>;
  /** Takes an id that a client chose, for this node. @returns false where a request has it, on whichever node. */
  claimId(id: string): Promise<boolean>;
  /** Resolves once every frame that was in the spool when this was called is in the database. Rejects after 10 s. */
  barrier(): Promise<void>;
  /** Changes a record, also one in flight, and answers what it then holds. Atomic; calls are applied in order. */
  amend(change: Amendment): Promise<AmendResult>;
  /** Deletes records with their bodies, but none in flight. @returns how many the organization had. */
  remove(removal: Removal): Promise<number>;
  /** One small step that frees space. @returns what `store/retention/maintain.ts` says. */
  maintain(task: Maintenance): Promise<number>;
  /** Changes what was read of finished records. @returns how many of them there still were. */
  rewrite(changes: readonly RecordChange[]): Promise<number>;
  /** Takes in mappings, prices and webhooks that were changed before this call. */
  relearn(): Promise<void>;
  /** What finished records used, once everything that was in the spool is in the database. Unknown ids are left out. */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /** What plugins stored after `version`; 0 asks for all. */
  readEntries(version: number): Promise<readonly StoredEntry[]>;
  writeEntries(entries: readonly Entry[]): Promise<void>;
  /** This node's shares of limits, settled with other nodes on the same database. */
  claimShares(claims: readonly ShareClaim[]): Promise<ShareAnswer>;
  /** Records that another Weir made, all of one organization; an id that is taken is left alone. */
  import(arrivals: readonly Arrival[]): Promise<readonly ArrivalResult[]>;
  /** How the plugins of this thread are doing. */
  hookHealth(): Promise<HookHealth>;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
  status(): Promise<RecorderStatus>;
  /** Reads the spool to its end, commits, closes. */
  stop(): Promise<void>;
};

export interface Amendment {
  readonly requestId: string;
  readonly organizationId: string;
  /** Names to set; null removes. */
  readonly properties?: Readonly<Record<string, string | null>>;
  readonly scores?: Readonly<Record<string, number>>;
  readonly feedbackRating?: boolean;
}

/** Null where the organization has no such request. */
export type AmendResult = {
  readonly requestId: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly scores: Readonly<Record<string, number>>;
  readonly feedback: { readonly id: string; readonly rating: boolean; readonly createdAt: number } | null;
} | null;

export interface Removal {
  readonly organizationId: string;
  readonly requestIds: readonly string[];
  /**
   * `next`: what is removed has long been in the database, so it waits for the present batch alone. Unless told so the
   * recorder catches up with the spool first, which takes a while where traffic leaves it no time.
   */
  readonly when?: "next" | "caught up" | undefined;
}

/** What can be removed besides whole records; each step is as small as its lists. */
export type Maintenance =
  | { readonly kind: "bodies"; readonly organizationId: string; readonly requestIds: readonly string[] }
  /** Requests that may have bodies and no record. */
  | { readonly kind: "orphans"; readonly requestIds: readonly string[] }
  /** Shared content that perhaps nothing points at. */
  | { readonly kind: "blobs"; readonly hashes: readonly string[] }
  /** Empty pages of the database files. */
  | { readonly kind: "compact"; readonly pages: number };

/** What is known of a finished record after it was read again. */
export interface RecordChange {
  readonly seq: number;
  readonly requestId: string;
  /** Columns of `requests` and their new values. */
  readonly columns: Readonly<Record<string, string | number | null>>;
  readonly texts?: { readonly prompt: string | null; readonly completion: string | null };
  /** JSON text that takes the place of the stored response body: a stream put together. */
  readonly responseBody?: string;
}

/** A record that comes from outside, read and checked. */
export interface Arrival {
  /** As it is to be stored, in the organization of who brings it; it has a status, for it is not in flight. */
  readonly row: Omit<typeof requests.$inferInsert, "seq">;
  readonly bodies: readonly ArrivedBody[];
  readonly texts: { readonly prompt: string | null; readonly completion: string | null };
}

export interface ArrivedBody {
  readonly part: "request" | "response";
  readonly form: "json" | "text";
  readonly bytes: Uint8Array;
}

/** `existing`: the organization has a record of this id already, or one in flight. `taken`: another one has. */
export type ArrivalResult = "imported" | "existing" | "taken";

export interface RecorderStatus {
  readonly position: Position;
  /** Bytes of the spool that are not in the database yet. */
  readonly lagBytes: number;
  readonly inFlight: number;
  readonly recorded: number;
  /** Why nothing can be written now, or null. */
  readonly databaseError: string | null;
}

/** Main thread: the gateway and the spool's writer. */
export type GatewayFunctions = {
  metrics(): string | Promise<string>;
  status(): GatewayStatus | Promise<GatewayStatus>;
  /** Replaces the keys that the gateway accepts. */
  setKeys(keys: readonly KeySnapshot[]): void | Promise<void>;
  /** Puts an exchange into the spool that a client tells of. @returns false where nothing can be recorded now. */
  record(exchange: WholeExchange): boolean | Promise<boolean>;
  /** What is stored of one organization's answers, and how much of all organizations' may be. */
  cacheStatus(organizationId: string): CacheStatus;
  /** One organization's stored answers, the last used first. */
  cacheEntries(organizationId: string, page: CachePage): Promise<readonly CacheEntryView[]>;
  /** Removes one organization's answers that fit all that is said. @returns how many there were. */
  purgeCache(organizationId: string, purge: CachePurge): Promise<number>;
  /** Files of providers and plugins, whether they are in use or not. */
  providers(): readonly ProviderView[] | Promise<readonly ProviderView[]>;
  plugins(): readonly PluginView[] | Promise<readonly PluginView[]>;
  /** How the plugins of this thread are doing. */
  hookHealth(): HookHealth | Promise<HookHealth>;
  /** Endpoints of the API that plugins answer. */
  routes(): readonly RouteView[] | Promise<readonly RouteView[]>;
  /** Never rejects. */
  callRoute(route: Pick<RouteView, "method" | "path">, call: RouteCall): Promise<RouteAnswer>;
};

export interface CacheStatus {
  readonly entries: number;
  readonly bytes: number;
  readonly bytesMax: number;
}

export interface CachePage {
  readonly limit: number;
  readonly offset: number;
}

export interface CacheEntryView {
  readonly key: string;
  readonly place: number;
  /** The request whose answer it is. */
  readonly requestId: string;
  readonly model: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly bytes: number;
}

/** Nothing said means everything. */
export interface CachePurge {
  readonly key?: string;
  readonly model?: string;
  readonly requestId?: string;
  readonly property?: { readonly name: string; readonly value?: string };
}

export interface GatewayStatus {
  /** Where it listens. */
  readonly port: number;
  readonly inFlight: number;
  readonly spoolHealthy: boolean;
  readonly spoolError: string | null;
  readonly exchangesDropped: number;
  /** Broken drop-ins and the like: still serving, but someone should look. */
  readonly degraded: readonly string[];
  readonly draining: boolean;
}

/** Gateway thread beside the main one; it is started with the ports `first`, `hooks` and `requests`. */
export type FurtherGatewayFunctions = {
  /** Resolves once it listens. The first call. */
  listen(terms: GatewayTerms): Promise<void>;
  /** Some of the terms have changed. */
  tell(change: Partial<GatewayTerms>): void;
  status(): GatewayStatus;
  figures(): GatewayFigures;
  /** Lets what is in flight end for so many seconds, and closes. */
  stop(drainSeconds: number): Promise<void>;
};

/** Main thread, as the other gateway threads see it. */
export type FirstGatewayFunctions = {
  /** Takes an id that a client chose. @returns false where a request has it, in whichever thread. */
  claimId(id: string): Promise<boolean>;
};

/** What the gateway's threads go by that may change while they run. */
export interface GatewayTerms {
  readonly keys: readonly KeySnapshot[];
  /** Ports of this program's listeners: never a target. Further ones are added to those that are known. */
  readonly ownPorts: readonly number[];
  /** What plugins open beside `allow_private_targets`. */
  readonly privateTargets: readonly string[];
}

/** What one gateway thread has counted since its start, and what it does now. It is added up across threads. */
export interface GatewayFigures {
  /** `<provider> <status class>` to the number of requests. */
  readonly requests: ReadonlyMap<string, number>;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly inFlight: number;
  readonly exchangesDropped: number;
  readonly spoolBytes: number;
  readonly spoolHealthy: boolean;
  readonly overhead: Distribution;
  readonly firstByte: Distribution;
}

/** How often which value was seen. */
export interface Distribution {
  /** Upper ends, rising; `counts` has one more, for what is above all of them. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Main thread, as the jobs see it. */
export type HostFunctions = {
  ports(): ListenerPorts | Promise<ListenerPorts>;
};

export interface ListenerPorts {
  /** Of all listeners of this program that listen already. */
  readonly own: readonly number[];
  /** Of this region's API; 0 where it does not listen yet. */
  readonly api: number;
}

/** Jobs thread: what is done by the clock. It is started with the ports `recorder` and `host`. */
export type JobFunctions = {
  ready(): Promise<void>;
  /** Maps a model now, in whichever providers it was seen. @returns an outcome for each; none where it was never seen. */
  expedite(order: ExpediteOrder): Promise<readonly ModelOutcome[]>;
  /** Mappings or prices were changed: what they concern is read again, and new traffic with them. */
  relearn(): Promise<void>;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
};

export interface ExpediteOrder {
  readonly organizationId: string;
  readonly model: string;
  readonly provider?: string;
}

export interface ModelOutcome {
  readonly provider: string;
  readonly model: string;
  readonly state: "mapped" | "pending";
  readonly version: number | null;
  readonly confidence: number | null;
  readonly samples: number;
  /** Why it is pending still. */
  readonly reason: string | null;
}

/** API thread; it is started with the ports `recorder`, `gateway` and `jobs`. */
export type ApiFunctions = {
  /** Starts listening and answers the port. */
  ready(): Promise<{ readonly port: number }>;
  stop(): Promise<void>;
};

/** What each thread is started with. */
export interface ThreadOptions {
  /** Of the thread's region. */
  readonly config: Config;
  /** Of the region in whose database keys, domains, limits and prices stand, where that is another one. */
  readonly home?: Config;
  /** For the recorder: what omitted bodies are enciphered with in the spool of this run. */
  readonly sealKey?: Uint8Array;
  /** For a recorder that is started again: a database that is missing was moved away, and is not made anew. */
  readonly databaseWasThere?: boolean;
}

export interface FurtherGatewayOptions extends ThreadOptions {
  readonly share: SpoolShare;
}
