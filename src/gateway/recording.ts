import type { Edit } from "../json-text/edits.ts";
import type { CallMemories, CallMemory } from "../mapping/translate/call-memory.ts";
import type { Clock } from "../runtime/clock.ts";
import type {
  BeginMeta,
  HeadersBeside,
  HeadMeta,
  MessageMeta,
  Outcome,
  RawHeaders,
  SentMeta,
  SpoolWriter,
} from "../spool/frame.ts";
import { headersFrom } from "../spool/sent-headers.ts";

/** Streams are kept complete up to this size regardless of the cap, because their usage is at the end. */
const STREAM_BYTES_MAX = 256 * 1_024 * 1_024;
export const STREAM_TYPE =
  /^\s*(?:text\/event-stream|application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|stream\+json|vnd\.amazon\.eventstream|json-seq))/i;

/** Size of a message's line without its text: direction, time, names. A one-byte message takes that much, too. */
const MESSAGE_LINE_BYTES = 64;

export interface Ending {
  readonly outcome: Outcome;
  /** Set if the head frame does not contain what the client saw. */
  readonly status?: number;
  readonly error?: { readonly code: string; readonly message: string };
  /** See `EndMeta`. */
  readonly mayBeWhole?: true;
}

/** What a provider was sent in place of the client's request. */
export interface SentInstead {
  /** As they may be recorded. */
  readonly headers: RawHeaders;
  /** Undefined if it is the client's. */
  readonly body: Uint8Array | undefined;
}

/** More edits are not worth it: the body is recorded instead. */
const EDITS_MAX = 16;

/** Writes one exchange to the spool: applies caps, omissions and counters, and writes the end exactly once. */
export class Recording {
  readonly #spool: SpoolWriter;
  readonly #id: string;
  readonly #capBytes: number;
  /** The exchange's clock. */
  readonly now: Clock;
  #begun = false;
  #ended = false;
  #flushed = false;
  #requestRoom: number;
  #responseRoom: number;
  #omitRequest = false;
  #omitResponse = false;
  #providerResponseRoom: number;
  /** What the provider was sent, until the head is written. */
  #sent: SentMeta | undefined;
  /** Whether the provider's request was recorded in addition to the client's. */
  #differs = false;
  #requestHeaders: RawHeaders = [];
  #requestTruncated = false;
  #responseTruncated = false;
  requestBytes = 0;
  responseBytes = 0;
  forwardedAt: number | undefined;
  firstByteAt: number | undefined;
  /** When the head was recorded. */
  #headAt: number | undefined;
  /** State of calls in the response, by call id. */
  #callStates: CallMemories | undefined;

  constructor(spool: SpoolWriter, id: string, capBytes: number, clock: Clock) {
    this.#spool = spool;
    this.#id = id;
    this.#capBytes = capBytes;
    this.now = clock;
    this.#requestRoom = capBytes;
    this.#responseRoom = capBytes;
    this.#providerResponseRoom = capBytes;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** @returns false if the exchange cannot be recorded now. */
  begin(meta: BeginMeta): boolean {
    this.#begun = true;
    this.#omitRequest = meta.omitRequest;
    this.#omitResponse = meta.omitResponse;
    this.#requestHeaders = meta.headers;
    return this.#spool.begin(this.#id, meta);
  }

  requestBody(bytes: Uint8Array): void {
    this.requestBytes += bytes.byteLength;
    if (this.#ended) return; // an omitted body too: the spool encrypts it, for the usage in it
    const kept = bytes.byteLength <= this.#requestRoom ? bytes : bytes.subarray(0, this.#requestRoom);
    this.#requestRoom -= kept.byteLength;
    if (kept.byteLength > 0) this.#spool.requestChunk(this.#id, kept);
    if (kept.byteLength < bytes.byteLength) this.#requestTruncated = true;
  }

  /** Marks the request body as truncated: the rest is not awaited. */
  cutRequest(): void {
    this.#requestTruncated = true;
  }

  /** @param more - where the response came from, if not simply from the request's own target. */
  head(status: number, headers: RawHeaders, contentType: string, more?: Partial<HeadMeta>): void {
    if (!this.#begun) return;
    if (STREAM_TYPE.test(contentType)) this.#responseRoom = Math.max(this.#capBytes, STREAM_BYTES_MAX);
    const sent = this.#sent;
    this.#sent = undefined;
    const time = this.now();
    this.#headAt = time;
    if (sent === undefined) this.#spool.head(this.#id, { ...more, time, status, headers });
    else this.#spool.head(this.#id, { ...more, time, status, sent, headers });
  }

  /** @param isWithHead - whether they arrived together with the head: then they have its time. */
  responseBody(bytes: Uint8Array, isWithHead = false): void {
    this.firstByteAt ??= (isWithHead ? this.#headAt : undefined) ?? this.now();
    this.responseBytes += bytes.byteLength;
    if (this.#ended || !this.#begun) return;
    const kept = bytes.byteLength <= this.#responseRoom ? bytes : bytes.subarray(0, this.#responseRoom);
    this.#responseRoom -= kept.byteLength;
    if (kept.byteLength > 0) this.#spool.responseChunk(this.#id, kept);
    if (kept.byteLength < bytes.byteLength) this.#responseTruncated = true;
  }

  /**
   * Records what the provider was sent in place of the client's request; a later call replaces it.
   *
   * @param sent - undefined if it is the client's request.
   */
  providerRequest(sent: SentInstead | undefined): void {
    this.#sent = undefined;
    if (this.#ended || !this.#begun || (sent === undefined && !this.#differs)) return;
    this.#differs = true;
    const body = this.#omitRequest ? undefined : sent?.body;
    const headers = sent === undefined ? {} : { headers: sent.headers };
    this.#spool.providerRequest(this.#id, { time: this.now(), hasBody: body !== undefined, ...headers });
    if (body === undefined) return;
    const isWhole = body.byteLength <= this.#capBytes;
    if (!isWhole) this.#requestTruncated = true;
    this.#spool.providerRequestChunk(this.#id, isWhole ? body : body.subarray(0, this.#capBytes));
  }

  /** Whether a body that differs from the client's in these places can be recorded as edits of it. */
  takesEdits(edits: readonly Edit[]): boolean {
    return edits.length <= EDITS_MAX && !this.#omitRequest && !this.#requestTruncated;
  }

  /**
   * Records with the response's head that the provider was sent the client's request with edits.
   *
   * @param headers - as they may be recorded, beside those of the client.
   */
  sentEdited(headers: HeadersBeside, edits: readonly Edit[]): void {
    this.#sent = { headers, edited: { of: this.requestBytes, edits } };
  }

  /** For an exchange that ends without the head of a response. */
  #recordSent({ headers: beside, edited }: SentMeta): void {
    const headers = headersFrom(beside, this.#requestHeaders) ?? [];
    this.#spool.providerRequest(this.#id, { time: this.now(), hasBody: false, edited, headers });
  }

  /** The head of the provider's own response, if the client gets another one. @param headers - as they may be recorded. */
  providerHead(status: number, headers: RawHeaders, contentType: string): void {
    if (this.#ended || !this.#begun) return;
    if (STREAM_TYPE.test(contentType)) this.#providerResponseRoom = Math.max(this.#capBytes, STREAM_BYTES_MAX);
    this.#spool.providerResponse(this.#id, { time: this.now(), status, headers });
  }

  providerBody(bytes: Uint8Array): void {
    if (this.#ended || !this.#begun) return;
    const kept = bytes.byteLength <= this.#providerResponseRoom ? bytes : bytes.subarray(0, this.#providerResponseRoom);
    this.#providerResponseRoom -= kept.byteLength;
    if (kept.byteLength > 0) this.#spool.providerResponseChunk(this.#id, kept);
    if (kept.byteLength < bytes.byteLength) this.#responseTruncated = true;
  }

  /** A WebSocket message of `bytes` bytes. Both directions share the room of the response: the record has one list. */
  message(meta: MessageMeta, bytes: number): void {
    if (this.#ended || !this.#begun || this.#isOmitted(meta.direction)) return;
    const lineBytes = bytes + MESSAGE_LINE_BYTES;
    if (lineBytes > this.#responseRoom) this.#responseTruncated = true;
    else {
      this.#responseRoom -= lineBytes;
      this.#spool.message(this.#id, meta);
    }
  }

  /** Bytes that a WebSocket message may have to be recorded now. */
  messageRoom(direction: MessageMeta["direction"]): number {
    return this.#ended || this.#isOmitted(direction) ? 0 : Math.max(0, this.#responseRoom - MESSAGE_LINE_BYTES);
  }

  /** A WebSocket message that was too large to gather. */
  messageTooLarge(direction: MessageMeta["direction"]): void {
    if (!this.#isOmitted(direction)) this.#responseTruncated = true;
  }

  #isOmitted(direction: MessageMeta["direction"]): boolean {
    return direction === "client" ? this.#omitRequest : this.#omitResponse;
  }

  /** Stores call state with the record, because the client may drop it. */
  callStates(states: ReadonlyMap<string, CallMemory>): void {
    if (states.size > 0 && !this.#omitResponse) this.#callStates = Object.fromEntries(states);
  }

  /** Writes everything appended so far to the page cache: called before the first byte of a response leaves. */
  flush(): void {
    if (this.#flushed) return;
    this.#flushed = true;
    this.#spool.flush();
  }

  /** Closes the record; it is in the page cache when this returns. Only the first call counts. */
  end(ending: Ending): void {
    this.close(ending);
    this.flush();
  }

  /**
   * Closes the record; it reaches the page cache with the next flush. Only the first call counts.
   *
   * @param nowMs - of `performance.now()`, if read already.
   */
  close({ outcome, status, error, mayBeWhole }: Ending, nowMs?: number): void {
    if (this.#ended || !this.#begun) return;
    this.#ended = true;
    this.#flushed = false;
    if (this.#sent !== undefined) this.#recordSent(this.#sent);
    this.#spool.end(this.#id, {
      time: this.now(nowMs),
      outcome,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      forwardedAt: this.forwardedAt,
      firstByteAt: this.firstByteAt,
      requestTruncated: this.#requestTruncated || undefined,
      responseTruncated: this.#responseTruncated || undefined,
      status,
      error,
      mayBeWhole,
      callStates: this.#callStates,
    });
  }
}
