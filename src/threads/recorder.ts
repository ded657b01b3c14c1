import type { CallMemories } from "../mapping/translate/call-memory.ts";
import type { Act, Outcome } from "../people/actions.ts";
import type { Acting } from "../people/actor.ts";
import type { RequestUsage } from "../plugin-host/contract.ts";
import type { Entry, StoredEntry } from "../plugin-host/host/entries.ts";
import type { ShareAnswer, ShareClaim } from "../plugin-host/host/shares.ts";
import type { HookHealth } from "../plugin-host/view.ts";
import type { RecordTexts } from "../record/record-texts.ts";
import type { requests } from "../record/tables.ts";
import type { Position } from "../spool/frame.ts";
import type { EarlierAnswer } from "../unified/earlier-answer.ts";

/** Recorder thread; the only writer of records. */
export type RecorderFunctions = {
  /** Resolves once the database is migrated and the spool is being read. */
  ready(): Promise<void>;
  /** Whether a record with this id, in lower case, exists or is being made. */
  isKnownId(id: string): Promise<boolean>;
  /** Takes an id that a client chose, for this node. @returns false where a request has it, on whichever node. */
  claimId(id: string): Promise<boolean>;
  /** Resolves once every frame that was in the spool when this was called is in the database. Rejects after 10 s. */
  barrier(): Promise<void>;
  /** The same, and their words are in the index. */
  indexWords(): Promise<void>;
  /** Changes a record, also one in flight, and answers what it then holds. Atomic; calls are applied in order. */
  update(change: RecordUpdate): Promise<UpdateResult>;
  /** Deletes records with their bodies, but none in flight. @returns how many the organization had. */
  remove(removal: Removal): Promise<number>;
  /** One small step that frees space. @returns what `store/retention/maintain.ts` says. */
  maintain(task: Maintenance): Promise<number>;
  /** Changes what was read of finished records. @returns how many of them there still were. */
  rewrite(changes: readonly RecordChange[]): Promise<number>;
  /** From now on, what is recorded is shown to plugins in the gateway's thread, or is not. */
  showAnswers(wanted: boolean): Promise<void>;
  /** Takes in mappings, prices, webhooks and judges that were changed before this call. */
  relearn(): Promise<void>;
  /** What finished records used, once everything that was in the spool is in the database. Unknown ids are left out. */
  usageOf(requestIds: readonly string[]): Promise<readonly RequestUsage[]>;
  /** Who made the response of an id, where one of this organization's records has it. */
  answerOf(answer: AnswerName): Promise<EarlierAnswer | undefined>;
  /** JSON list of the items that led to a response, its own included; undefined where one is not recorded whole. */
  turnsBefore(answer: AnswerName): Promise<string | undefined>;
  /** JSON list of a response's own items, with their ids; undefined where it is not recorded whole. */
  itemsOf(answer: AnswerName): Promise<string | undefined>;
  /** State of calls of the last day, as far as it is recorded. */
  callStates(calls: CallsNamed): Promise<CallMemories>;
  /** What plugins stored after `version`; 0 asks for all. */
  readEntries(version: number): Promise<readonly StoredEntry[]>;
  writeEntries(entries: readonly Entry[], by: Acting): Promise<void>;
  /** Writes an entry of the audit log. */
  note(note: Note): Promise<void>;
  /** This node's shares of limits, settled with other nodes on the same database. */
  claimShares(claims: readonly ShareClaim[]): Promise<ShareAnswer>;
  /** Records that another Weir made, all of one organization; an id that is taken is left alone. */
  import(arrivals: readonly Arrival[], by: Acting): Promise<readonly ArrivalResult[]>;
  /** How the plugins of this thread are doing. */
  hookHealth(): Promise<HookHealth>;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
  status(): Promise<RecorderStatus>;
  /** Reads the spool to its end, commits, closes. */
  stop(): Promise<void>;
};

/** What somebody did outside of the database. */
export interface Note {
  readonly by: Acting;
  readonly act: Act;
  readonly outcome?: Outcome;
}

export interface AnswerName {
  readonly organizationId: string;
  readonly answerId: string;
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
  /** Who gave which of these scores, and why, by the name of the score. */
  readonly ratings?: Readonly<Record<string, RatingNote>>;
  /** Ratings that their source takes back. */
  readonly withdrawn?: { readonly source: string; readonly names: readonly string[] };
  readonly feedbackRating?: boolean;
}

export interface RatingNote {
  /** `key:<id>`, `plugin:<name>`, `judge:<id>` or `reviewer:<id>`: each has one rating of a name. */
  readonly source: string;
  /** Name of the source then. */
  readonly author: string;
  readonly reason?: string | null;
  /** The word that was chosen, where a score is chosen from words. */
  readonly label?: string | null;
}

/** Null where the organization has no such request. */
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
   * `next`: what is removed has long been in the database, so it waits for the present batch alone. Unless told so the
   * recorder catches up with the spool first, which takes a while where traffic leaves it no time.
   */
  readonly when?: "next" | "caught up" | undefined;
  /** Who wants it, for the audit log, and what they asked for; retention notes a run as a whole. */
  readonly by?: Acting | undefined;
  readonly asked?: unknown;
}

/** What can be removed besides whole records; each step is as small as its lists. */
export type Maintenance =
  | { readonly kind: "bodies"; readonly organizationId: string; readonly requestIds: readonly string[] }
  /** Requests that may have bodies and no record. */
  | { readonly kind: "orphans"; readonly requestIds: readonly string[] }
  /** Shared content that perhaps nothing points at. */
  | { readonly kind: "blobs"; readonly hashes: readonly string[] }
  /** Bytes of what was removed, and its words in the index; by order also what is kept a while otherwise. */
  | { readonly kind: "erase"; readonly isOrdered?: boolean }
  /** What was recorded before there were packs goes into packs. */
  | { readonly kind: "move" }
  /** Packs that are in the database go into the object store. */
  | { readonly kind: "objects" }
  /** Records that the sums by day do not count yet. */
  | { readonly kind: "count" }
  /** Records in the index of words that perhaps do not exist, by their numbers. */
  | { readonly kind: "lost words"; readonly seqs: readonly number[] }
  /** Kinds that no record up to a number refers to. */
  | { readonly kind: "kinds"; readonly ids: readonly number[]; readonly upTo: number }
  /** All records of a day, if only these organizations have any, in an engine that keeps days apart. */
  | { readonly kind: "day"; readonly day: number; readonly organizationIds: readonly string[] }
  /** What belonged to records that went with their day. */
  | { readonly kind: "beside"; readonly requestIds: readonly string[] }
  /** Empty pages of the database files. */
  | { readonly kind: "compact"; readonly pages: number };

/** What is known of a finished record after it was read again. */
export interface RecordChange {
  readonly requestId: string;
  /** Columns of `requests` and their new values. */
  readonly columns: Readonly<Record<string, string | number | null>>;
  readonly texts?: RecordTexts;
  /** What was said, for the index of words alone. */
  readonly words?: string;
  /** JSON text that takes the place of the stored response body: a stream put together. */
  readonly responseBody?: string;
  /** The bodies and headers that the client saw, in place of those that are stored: of a record that was not read before. */
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

/** A record that comes from outside, read and checked. */
export interface Arrival {
  /** As it is to be stored, in the organization of who brings it; it has a status, for it is not in flight. */
  readonly row: Omit<typeof requests.$inferInsert, "seq">;
  readonly bodies: readonly ArrivedBody[];
  readonly texts: RecordTexts;
}

export interface ArrivedBody {
  readonly part: "request" | "response" | "provider_request" | "provider_response";
  readonly form: "json" | "text";
  readonly bytes: Uint8Array;
}

/** `existing`: the organization has a record with this id already, or one in flight. `taken`: another one has. */
export type ArrivalResult = "imported" | "existing" | "taken";

export interface RecorderStatus {
  readonly position: Position;
  /** Bytes of the spool that are not in the database yet. */
  readonly lagBytes: number;
  readonly inFlight: number;
  readonly recorded: number;
  /** Records since the thread's start whose bodies are not read. */
  readonly unread: number;
  /** Why nothing can be written now, or null. */
  readonly databaseError: string | null;
  /** Why bodies, and with them their records, cannot be written now, or null. */
  readonly bodiesError: string | null;
  /** Bytes of the spool that wait for the object store. */
  readonly bodiesBehindBytes: number;
  /** What was lost in the last hour, a sentence for each kind. */
  readonly losses: readonly string[];
}
