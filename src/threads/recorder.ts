import type { CallMemories } from "../mapping/translate/call-memory.ts";
import type { Act, ActionOutcome } from "../people/actions.ts";
import type { Acting } from "../people/actor.ts";
import type { RequestUsage } from "../plugin-host/contract.ts";
import type { Entry, StoredEntry } from "../plugin-host/host/entries.ts";
import type { ShareClaim, ShareResult } from "../plugin-host/host/shares.ts";
import type { HookHealth } from "../plugin-host/view.ts";
import type { RecordTexts } from "../record/record-texts.ts";
import type { RequestRow } from "../record/written-row.ts";
import type { Position } from "../spool/frame.ts";
import type { EarlierResponse } from "../unified/earlier-response.ts";

/** Recorder thread; the only writer of records. */
export type RecorderFunctions = {
  /** Resolves once the database is migrated and reading of the spool has begun. */
  ready(): Promise<void>;
  /** Whether a record with this id, in lower case, exists or is in progress. */
  isKnownId(id: string): Promise<boolean>;
  /** Claims an id that a client chose, for this node. @returns false if a request on any node already has it. */
  claimId(id: string): Promise<boolean>;
  /** Resolves once every frame that was in the spool when this was called is in the database. Rejects after 10 s. */
  barrier(): Promise<void>;
  /** Like `barrier`; exchanges in flight have rows as well. */
  storeInFlight(): Promise<void>;
  /** Like `barrier`; the words of these records are in the index as well. */
  indexWords(): Promise<void>;
  /** Changes a record, also one in flight, and returns its new contents. Atomic; calls are applied in order. */
  update(change: RecordUpdate): Promise<UpdateResult>;
  /** Deletes records with their bodies, except those in flight. @returns how many the organization had. */
  remove(removal: Removal): Promise<number>;
  /** One small step that frees space. @returns as described in `store/retention/maintain.ts`. */
  maintain(task: Maintenance): Promise<number>;
  /** Replaces the reading of finished records. @returns how many of them still existed. */
  rewrite(changes: readonly RecordChange[]): Promise<number>;
  /** Sets whether new records are shown to plugins in the gateway's thread. */
  showResponses(wanted: boolean): Promise<void>;
  /** Loads mappings, prices, webhooks and judges that were changed before this call. */
  relearn(): Promise<void>;
  /** Usage of finished records, once everything that was in the spool is in the database. Unknown ids are left out. */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /** Who made the response with this id, if one of this organization's records has it. */
  responseOf(name: ResponseName): Promise<EarlierResponse | undefined>;
  /** JSON list of the items that led to a response, including its own; undefined if one of them is not recorded completely. */
  turnsBefore(name: ResponseName): Promise<string | undefined>;
  /** JSON list of a response's own items, with their ids; undefined if it is not recorded completely. */
  itemsOf(name: ResponseName): Promise<string | undefined>;
  /** State of calls of the last day, as far as it is recorded. */
  callStates(calls: CallsNamed): Promise<CallMemories>;
  /** What plugins stored after `version`; 0 returns everything. */
  readEntries(version: number): Promise<readonly StoredEntry[]>;
  writeEntries(entries: readonly Entry[], by: Acting): Promise<void>;
  /** Writes an entry of the audit log. */
  note(note: Note): Promise<void>;
  /** This node's shares of limits, settled with other nodes on the same database. */
  claimShares(claims: readonly ShareClaim[]): Promise<ShareResult>;
  /** Imports records from another Weir, all of one organization; an id that is taken stays unchanged. */
  import(arrivals: readonly Arrival[], by: Acting): Promise<readonly ArrivalResult[]>;
  /** The health of this thread's plugins. */
  hookHealth(): Promise<HookHealth>;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
  status(): Promise<RecorderStatus>;
  /** Reads the spool to its end, commits, closes. */
  stop(): Promise<void>;
};

/** An action outside of the database. */
export interface Note {
  readonly by: Acting;
  readonly act: Act;
  readonly outcome?: ActionOutcome;
}

export interface ResponseName {
  readonly organizationId: string;
  readonly responseId: string;
}

export interface CallsNamed {
  readonly organizationId: string;
  readonly callIds: readonly string[];
}

export interface RecordUpdate {
  readonly requestId: string;
  readonly organizationId: string;
  /** Names to set; null removes. */
  readonly properties?: Readonly<Record<string, string | null>>;
  readonly scores?: Readonly<Record<string, number>>;
  /** The author and reason of each of these scores, by the score's name. */
  readonly ratings?: Readonly<Record<string, RatingNote>>;
  /** Ratings that their source withdraws. */
  readonly withdrawn?: { readonly source: string; readonly names: readonly string[] };
  readonly feedbackRating?: boolean;
}

export interface RatingNote {
  /** `key:<id>`, `plugin:<name>`, `judge:<id>` or `reviewer:<id>`: each source has one rating per name. */
  readonly source: string;
  /** Name of the source at that time. */
  readonly author: string;
  readonly reason?: string | null;
  /** The chosen label, if the score is chosen from labels. */
  readonly label?: string | null;
}

/** Null if the organization has no such request. */
export type UpdateResult = {
  readonly requestId: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly scores: Readonly<Record<string, number>>;
  readonly feedback: { readonly id: string; readonly rating: boolean; readonly createdAt: number } | null;
} | null;

export interface Removal {
  readonly organizationId: string;
  readonly requestIds: readonly string[];
  /**
   * `next`: the records to remove are known to be in the database, so this waits only for the current batch. By default the
   * recorder catches up with the spool first, which can take long under constant traffic.
   */
  readonly when?: "next" | "caught up" | undefined;
  /** The actor and the wording of the request, for the audit log; retention logs a run as one entry. */
  readonly by?: Acting | undefined;
  readonly selection?: unknown;
}

/** What can be removed besides complete records; each step is as small as its lists. */
export type Maintenance =
  | { readonly kind: "bodies"; readonly organizationId: string; readonly requestIds: readonly string[] }
  /** Requests that may have bodies but no record. */
  | { readonly kind: "orphans"; readonly requestIds: readonly string[] }
  /** Shared content that may no longer be referenced. */
  | { readonly kind: "blobs"; readonly hashes: readonly string[] }
  /** Bytes of removed bodies, and their words in the index; if ordered, also what is otherwise kept for a while. */
  | { readonly kind: "erase"; readonly isOrdered?: boolean }
  /** Moves bodies that were recorded before there were packs into packs. */
  | { readonly kind: "move" }
  /** Moves packs from the database into the object store. */
  | { readonly kind: "objects" }
  /** Adds records to the daily sums that do not count them yet. */
  | { readonly kind: "count" }
  /** Record numbers in the index of words that may no longer exist. */
  | { readonly kind: "lost words"; readonly seqs: readonly number[] }
  /** Kinds that no record up to a number refers to. */
  | { readonly kind: "kinds"; readonly ids: readonly number[]; readonly upTo: number }
  /** All records of days of which only these organizations have any, in an engine that partitions by day. */
  | { readonly kind: "days"; readonly days: readonly PartitionedDay[] }
  /** What belonged to records that were removed with their day. */
  | { readonly kind: "beside"; readonly requestIds: readonly string[] }
  /** Empty pages of the database files. */
  | { readonly kind: "compact"; readonly pages: number };

/** A UTC day, counted from 1970, and the organizations with records of that day. */
export interface PartitionedDay {
  readonly day: number;
  readonly organizationIds: readonly string[];
}

/** Changes to a finished record that was read again. */
export interface RecordChange {
  readonly requestId: string;
  /** Columns of `requests` and their new values. */
  readonly columns: Readonly<Record<string, string | number | null>>;
  readonly texts?: RecordTexts;
  /** The contents, only for the index of words. */
  readonly words?: string;
  /** JSON text that replaces the stored response body: an assembled stream. */
  readonly responseBody?: string;
  /** The bodies and headers that the client saw, replacing the stored ones, for a record that was not read before. */
  readonly stored?: {
    readonly parts: readonly ReadPart[];
    readonly assets: readonly { readonly id: string; readonly contentType: string; readonly bytes: Uint8Array }[];
  };
}

/** One stored part of a record that was read again. */
interface ReadPart {
  readonly part: "headers" | "request" | "response" | "raw" | "provider_request" | "provider_response";
  readonly form: "json" | "text" | "binary";
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  readonly files?: readonly { readonly offset: number; readonly length: number; readonly id: string }[];
  readonly sent?: Uint8Array;
}

/** A record from outside, parsed and checked. */
export interface Arrival {
  /** As it is to be stored, in the importer's organization; it has a status, because it is not in flight. */
  readonly row: RequestRow;
  readonly bodies: readonly ArrivedBody[];
  readonly texts: RecordTexts;
}

export interface ArrivedBody {
  readonly part: "request" | "response" | "provider_request" | "provider_response";
  readonly form: "json" | "text";
  readonly bytes: Uint8Array;
}

/** `existing`: the organization already has a record with this id, or one in flight. `taken`: another organization has. */
export type ArrivalResult = "imported" | "existing" | "taken";

export interface RecorderStatus {
  readonly position: Position;
  /** Bytes of the spool that are not in the database yet. */
  readonly lagBytes: number;
  readonly inFlight: number;
  readonly recorded: number;
  /** Records since the thread's start whose bodies could not be read. */
  readonly unread: number;
  /** Why nothing can be written now, or null. */
  readonly databaseError: string | null;
  /** Why bodies, and therefore their records, cannot be written now, or null. */
  readonly bodiesError: string | null;
  /** Bytes of the spool that wait for the object store. */
  readonly bodiesBehindBytes: number;
  /** Losses of the last hour, one sentence for each kind. */
  readonly losses: readonly string[];
}
