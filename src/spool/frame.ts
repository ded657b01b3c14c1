import type { Edit } from "../json-text/edits.ts";

/**
 * The contents of the journal: frames, each of one exchange, in chronological order.
 *
 * On disk a frame is `length u32 | crc32 u32 | kind u8 | request id 16 bytes | payload`, little endian; `length` and the CRC
 * cover the bytes after the CRC. The payload of chunks is the bytes as on the wire, that of all other kinds is JSON.
 * A list of headers is the last member, where it is read without being parsed; earlier versions wrote it before others.
 * `request…`, `head` and `response…` are the client's side: what it sent and what it gets. The frames `provider…` exist only
 * if the provider gets or sends something else. 8 marks the end of the recorder's own files.
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

/** Raw pairs in which a number stands for a pair of another list: the one at that place, counted in pairs. */
export type HeadersBeside = readonly (string | number)[];

/** First frame of each segment: exchanges of earlier runs without an `end` were cut off. */
export interface StartMeta {
  readonly run: string;
  readonly time: number;
  /** Within a run: this writer has ended, and its open exchanges were cut off. */
  readonly gone?: number;
  /** The previous segment, and how far it was written, if known. */
  readonly previous?: Position;
}

/** Written before anything is sent to the provider. It contains no credential. */
export interface BeginMeta {
  /** Milliseconds since 1970, with fraction. */
  readonly time: number;
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Origin, or "" if the request names none that can be read. */
  readonly target: string;
  /** Upper-case provider name: the one the client named, else the owner of the host, else CUSTOM; "" before one is chosen. */
  readonly provider: string;
  readonly organization: string;
  readonly keyId: string;
  readonly keyName: string;
  /** SHA-256 of the service key, hexadecimal. */
  readonly authHash: string;
  /** The client's headers without `Gateway-*`, credentials masked. */
  readonly headers: RawHeaders;
  /** The `Gateway-*` headers without `Gateway-Auth`, names with aliases already turned into `Gateway-…`, case kept. */
  readonly gateway: RawHeaders;
  /** The body must not be stored: its chunks are encrypted, and the record is created without it. */
  readonly omitRequest: boolean;
  readonly omitResponse: boolean;
  /** Set for a failed try: the request that it belongs to, and the number of the try, from 1. */
  readonly attemptOf?: string;
  readonly attempt?: number;
  /** Set for a failed call of the unified address, which may have no head; other exchanges have it in their head. */
  readonly routing?: RoutingMeta;
  /** Name of the key that omitted bodies are encrypted with; set by the writer. */
  readonly seal?: string;
  /** 16 random bytes as base64, from which the keys of this exchange's bodies are derived; set by the writer. */
  readonly salt?: string;
  /** Number of the run's writer, unless it is the first; set by the writer. */
  readonly writer?: number;
}

/** How a request of the unified address was routed. */
export interface RoutingMeta {
  /** The model string as the client wrote it, if it is not in its body. */
  readonly requestModel?: string;
  /** The session that a coding tool names in its own header. */
  readonly session?: string;
  /** The model as it was sent to the provider. */
  readonly routedModel?: string;
  /** Path and query as sent to the provider, credentials masked. */
  readonly path?: string;
  readonly route?: string | null;
  readonly reason?: string;
  /** Name of the credential, or `client`. */
  readonly credential?: string;
  /** Whether a stored credential paid. */
  readonly stored?: boolean;
  /** `NO_MAPPING` for the same shape, else the client's shape. */
  readonly mapping?: string;
  /** What was lost or estimated, one clause each. */
  readonly warnings?: readonly string[];
}

/** The provider's status line and headers, or the gateway's own. */
export interface HeadMeta {
  readonly time: number;
  readonly status: number;
  /** Credentials (set-cookie and the headers that the provider plugin names) masked. */
  readonly headers: RawHeaders;
  /** For a cache hit: the original request, and when its response was stored. */
  readonly cacheReferenceId?: string;
  readonly cacheCreatedAt?: number;
  /** The number of the try with this response, if the client allowed more than one. */
  readonly attempt?: number;
  /** The fallback that responded in place of the target in `begin`. */
  readonly target?: string;
  readonly path?: string;
  readonly provider?: string;
  readonly routing?: RoutingMeta;
  /** What the provider was sent, if it is the client's request with a few changes; it replaces a `providerRequest`. */
  readonly sent?: SentMeta;
}

export interface SentMeta {
  /** Credentials masked; references are to the headers of `begin`. */
  readonly headers: HeadersBeside;
  readonly edited: EditedBody;
}

/** What the provider was sent in place of the client's request. A later one replaces it: another try was sent. */
export interface ProviderRequestMeta {
  readonly time: number;
  /** Credentials masked. Undefined if the provider was sent the client's request, this time. */
  readonly headers?: RawHeaders;
  /** Whether chunks with its body follow; otherwise the body was the client's, with `edited` applied to it. */
  readonly hasBody: boolean;
  readonly edited?: EditedBody;
}

/** A body that differs from the client's in a few places: the provider's copy is not written a second time. */
interface EditedBody {
  /** Bytes of the client's body. Edits of a body that the spool has only partly cannot be applied. */
  readonly of: number;
  /** In order of position, without overlaps. */
  readonly edits: readonly Edit[];
}

/** The provider's own response, if the client gets a different one; chunks with its body follow. A later one replaces it. */
export interface ProviderResponseMeta {
  readonly time: number;
  readonly status: number;
  /** Credentials masked. */
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
  /** When the request was forwarded and when the first byte of the response body arrived; milliseconds since 1970. */
  readonly forwardedAt?: number | undefined;
  readonly firstByteAt?: number | undefined;
  /** Bytes transferred, including those beyond what the spool keeps. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Set if the spool holds less than was transferred. */
  readonly requestTruncated?: true | undefined;
  readonly responseTruncated?: true | undefined;
  /** The status that the client saw, if not in the head frame: 499, 502, 504, a refusal's. */
  readonly status?: number | undefined;
  /** The gateway's own error, for refusals and failures. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /**
   * The client left a stream after receiving all available bytes. It is complete if the last event is among them, which
   * compressed bytes do not show.
   */
  readonly mayBeWhole?: true | undefined;
  /** State of calls in the response, by call id, for clients that drop it; missing if the response is omitted. */
  readonly callStates?: Readonly<Record<string, object>> | undefined;
}

/** One WebSocket message; the payload is this JSON. */
export interface MessageMeta {
  readonly time: number;
  readonly direction: "client" | "provider";
  readonly text?: string;
  readonly base64?: string;
}

/** A position in the journal: the segment's number and the byte offset in it. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/**
 * The gateway's view of the spool. All calls are synchronous and never throw: when the disk is full the entire frame is
 * dropped, `begin` returns false, and the drop is counted.
 */
export interface SpoolWriter {
  /** @returns false if the exchange cannot be recorded now. */
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
  /** Calls `work` at the end of this turn of the event loop. Frames that it appends join the write that ends the turn anyway. */
  atTurnEnd(work: () => void): void;
  /** Writes everything appended so far to the page cache. Called before a response head that could overtake its `begin`. */
  flush(): void;
  /** Resolves once everything appended is synced to disk; used with `spool_sync = "always"`. */
  synced(): Promise<void>;
  readonly stats: SpoolStats;
  close(): Promise<void>;
}

export interface SpoolStats {
  readonly framesWritten: number;
  readonly bytesWritten: number;
  /** Exchanges whose record is missing or incomplete because of failed writes. */
  readonly exchangesDropped: number;
  /** False after a failed write. */
  readonly healthy: boolean;
  readonly lastError: string | undefined;
}
