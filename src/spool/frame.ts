/**
 * What the journal holds: frames of one exchange each, in the order in which things happened.
 *
 * On disk a frame is `length u32 | crc32 u32 | kind u8 | request id 16 bytes | payload`, little endian; `length` counts
 * what follows the crc, the crc covers the same. The payload of chunks is the bytes as they passed on the wire, that of all
 * others JSON. `request…`, `head` and `response…` are the client's side: what it sent and what it gets. The frames
 * `provider…` are there only where the provider gets or sends something else; 8 stands at the end of the recorder's own files.
 */
export const FRAME = {
  start: 0,
  begin: 1,
  requestChunk: 2,
  head: 3,
  responseChunk: 4,
  end: 5,
  message: 6,
  providerRequest: 9,
  providerRequestChunk: 10,
  providerResponse: 11,
  providerResponseChunk: 12,
} as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

/** Raw header pairs, `[name, value, name, value, …]`, spelled as on the wire, values as Latin-1 strings. */
export type RawHeaders = readonly string[];

/** First frame of each segment: exchanges of earlier runs that have no `end` were cut off. */
export interface StartMeta {
  readonly run: string;
  readonly time: number;
  /** Within a run: this one of its writers is gone, and what it has not ended was cut off. */
  readonly gone?: number;
  /** The segment before this one, and how far it was written; where that is known. */
  readonly previous?: Position;
}

/** Written before anything is sent to the provider. No value in it is a credential. */
export interface BeginMeta {
  /** Milliseconds since 1970, with fraction. */
  readonly time: number;
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Origin, or "" where the request names none that can be read. */
  readonly target: string;
  /** Upper-case provider name: the one the client named, else the one whose host it is, else CUSTOM; "" before one is chosen. */
  readonly provider: string;
  readonly organization: string;
  readonly keyId: string;
  readonly keyName: string;
  /** SHA-256 of the service key, hexadecimal. */
  readonly authHash: string;
  /** The client's headers without `Gateway-*`, credential values replaced. */
  readonly headers: RawHeaders;
  /** The `Gateway-*` headers without `Gateway-Auth`, names with aliases already turned into `Gateway-…`, case kept. */
  readonly gateway: RawHeaders;
  /** The body is wanted nowhere: its chunks are encrypted, and the record is made without it. */
  readonly omitRequest: boolean;
  readonly omitResponse: boolean;
  /** The request that this is a failed try of, and which one, from 1. */
  readonly attemptOf?: string;
  readonly attempt?: number;
  /** Of a failed call of the unified address, which may have got no head; all others say it in theirs. */
  readonly routing?: RoutingMeta;
  /** Name of the key that omitted bodies are encrypted with; set by the writer. */
  readonly seal?: string;
  /** 16 random bytes as base64, from which the keys of this exchange's bodies are derived; set by the writer. */
  readonly salt?: string;
  /** Which of the run's writers it comes from, where that is not the first; set by the writer. */
  readonly writer?: number;
}

/** How a request of the unified address was routed. */
export interface RoutingMeta {
  /** The model string as the client wrote it, where that is not in its body. */
  readonly requestModel?: string;
  /** The session that a coding tool names in a header of its own. */
  readonly session?: string;
  /** The model as it was sent to the provider. */
  readonly routedModel?: string;
  /** Path and query as the provider got them, credentials masked. */
  readonly path?: string;
  readonly route?: string | null;
  readonly reason?: string;
  /** Name of the credential, or `client`. */
  readonly credential?: string;
  /** Whether a stored credential paid. */
  readonly stored?: boolean;
  /** `NO_MAPPING` on the same shape, else the client's shape. */
  readonly mapping?: string;
  /** What was lost or guessed, a clause each. */
  readonly warnings?: readonly string[];
}

/** The provider's status line and headers, or the gateway's own. */
export interface HeadMeta {
  readonly time: number;
  readonly status: number;
  /** Credential values (set-cookie and what the provider plugin names) replaced. */
  readonly headers: RawHeaders;
  /** The request whose response this one repeats, and when that was stored, for a cache hit. */
  readonly cacheReferenceId?: string;
  readonly cacheCreatedAt?: number;
  /** Which try this is the response of, where the client asked for more than one. */
  readonly attempt?: number;
  /** Who answered in place of the target that `begin` names: a fallback. */
  readonly target?: string;
  readonly path?: string;
  readonly provider?: string;
  readonly routing?: RoutingMeta;
}

/** What the provider got in place of what the client sent. A further one replaces it: another try was sent. */
export interface ProviderRequestMeta {
  readonly time: number;
  /** Credential values replaced. Undefined where the provider got what the client sent, this time. */
  readonly headers?: RawHeaders;
  /** Whether chunks with its body follow. Without them the body was the client's. */
  readonly hasBody: boolean;
}

/** What the provider answered in place of what the client gets; chunks with its body follow. A further one replaces it. */
export interface ProviderResponseMeta {
  readonly time: number;
  readonly status: number;
  /** Credential values replaced. */
  readonly headers: RawHeaders;
}

export type Outcome =
  | "complete"
  | "client_gone"
  | "upstream_failed"
  | "upstream_timeout"
  | "refused"
  | "failed"
  | "cut_off";

export interface EndMeta {
  readonly time: number;
  readonly outcome: Outcome;
  /** When the request was passed on and when the first response body byte came; milliseconds since 1970. */
  readonly forwardedAt?: number | undefined;
  readonly firstByteAt?: number | undefined;
  /** Bytes that passed, also those beyond what the spool keeps. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Set where the spool holds less than what passed. */
  readonly requestTruncated?: true | undefined;
  readonly responseTruncated?: true | undefined;
  /** The status that the client saw, where the head frame does not say it: 499, 502, 504, a refusal's. */
  readonly status?: number | undefined;
  /** The gateway's own error, for refusals and failures. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** The client left a stream and had all that had come: whole where its last event is in it, which compressed bytes do not tell. */
  readonly mayBeWhole?: true | undefined;
  /** What is remembered of calls in the response by their ids, for clients that forget it; missing where the response is to be omitted. */
  readonly callStates?: Readonly<Record<string, object>> | undefined;
}

/** One WebSocket message; the payload is this JSON. */
export interface MessageMeta {
  readonly time: number;
  readonly direction: "client" | "provider";
  readonly text?: string;
  readonly base64?: string;
}

/** A place in the journal: the segment's number and the byte offset in it. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/**
 * What the gateway needs of the spool. All calls are synchronous and never throw: when the disk is full the frame is
 * dropped whole, `begin` answers false, and the drop is counted.
 */
export interface SpoolWriter {
  /** @returns false where the exchange cannot be recorded now. */
  begin(id: string, meta: BeginMeta): boolean;
  requestChunk(id: string, bytes: Uint8Array): void;
  head(id: string, meta: HeadMeta): void;
  responseChunk(id: string, bytes: Uint8Array): void;
  message(id: string, meta: MessageMeta): void;
  providerRequest(id: string, meta: ProviderRequestMeta): void;
  providerRequestChunk(id: string, bytes: Uint8Array): void;
  providerResponse(id: string, meta: ProviderResponseMeta): void;
  providerResponseChunk(id: string, bytes: Uint8Array): void;
  end(id: string, meta: EndMeta): void;
  /** Calls `work` at the end of this turn of the event loop. What it appends goes into the write that ends the turn anyway. */
  atTurnEnd(work: () => void): void;
  /** Puts everything appended so far into the page cache. Called before a response head that could outrun its `begin`. */
  flush(): void;
  /** Resolves once all that was appended is on the disk itself; used with `spool_sync = "always"`. */
  synced(): Promise<void>;
  readonly stats: SpoolStats;
  close(): Promise<void>;
}

export interface SpoolStats {
  readonly framesWritten: number;
  readonly bytesWritten: number;
  /** Exchanges that lost their record or a part of it because nothing could be written. */
  readonly exchangesDropped: number;
  /** False while the last write failed. */
  readonly healthy: boolean;
  readonly lastError: string | undefined;
}
