import { messageOf } from "../log.ts";
import type { ProviderPlugin, RequestEnd } from "../plugin-host/contract.ts";
import { now, startClock } from "../runtime/clock.ts";
import type { ServerResponse } from "../runtime/http/server.ts";
import type { ByteSocket } from "../runtime/http/sockets.ts";
import type { UpstreamCall, UpstreamError, UpstreamEvents, UpstreamRequest } from "../runtime/http/upstream.ts";
import { uuidv7 } from "../runtime/uuid.ts";
import type { BeginMeta, HeadMeta, RoutingMeta } from "../spool/frame.ts";
import type { ClientApi } from "../unified/client-api.ts";
import type { Upload, UploadOwner } from "./body/upload.ts";
import type { Departing } from "./departures.ts";
import type { ExchangeDeps, InFlight } from "./exchange-deps.ts";
import { toHeaderValue } from "./headers/headers.ts";
import { type CacheResponse, withOwnHeaders } from "./headers/own-headers.ts";
import { ofPlugin, readResponseHeaders } from "./headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "./headers/secrets.ts";
import { OwnFailure } from "./own-failure.ts";
import { type Ending, Recording, STREAM_TYPE } from "./recording.ts";
import { errorHeaders, type OwnResponse, ownError, ownResponse, reasonOf } from "./refusal.ts";
import { ResponseWriter } from "./response-writer.ts";
import { StreamTail } from "./stream-tail.ts";
import { joinSockets } from "./websocket/websocket.ts";

const NONE: readonly string[] = [];
const COMPLETE: Ending = { outcome: "complete" };

/**
 * One exchange in flight: relays the provider's response to the client, chunk by chunk, with back-pressure. It is also the
 * one place where an exchange ends, exactly once, no matter which side leaves first.
 *
 * It does not use `tee()` or streams: a copying branch would read the provider at full speed and queue without bound what a
 * slow client has not read yet.
 */
export class Exchange implements UpstreamEvents, InFlight, Departing, UploadOwner {
  slot = 0;
  /** Of `performance.now()`. */
  readonly startedMs = performance.now();
  readonly startedAt = now(this.startedMs);
  readonly clock = startClock();
  id = uuidv7(Math.floor(this.startedAt));
  recording: Recording;
  readonly #deps: ExchangeDeps;
  readonly #response: ServerResponse;
  /** The socket and the bytes after the head, for a request that asks for another protocol. */
  readonly #client: { readonly socket: ByteSocket; readonly early: Uint8Array } | undefined;
  provider: ProviderPlugin | undefined;
  call: UpstreamCall | undefined;
  upload: Upload | undefined;
  /** Whether the cache was used, and its result: decided before the head. */
  cache: CacheResponse | undefined;
  /** Number and target of the try that responded, if the client allowed more than one. */
  attempt: Pick<HeadMeta, "attempt" | "target" | "path" | "provider"> | undefined;
  /** How a unified request was routed, for its record. */
  routing: RoutingMeta | undefined;
  /** Set if the response ends with an error because the provider broke off: then it is recorded as such, not as complete. */
  broken: Ending | undefined;
  /** Further headers of the gateway's own, as raw pairs. */
  ownHeaders = NONE;
  /** The API shape of the gateway's errors; its own if undefined. */
  errorShape: ClientApi | undefined;
  /** Milliseconds that the client or the provider may take for its next step; 0 while no limit applies. */
  #limitMs = 0;
  /** When `checkProgress` first saw the current wait; 0 before. */
  #waitsSinceMs = 0;
  #ended = false;
  /** When the request was passed on for the first time. */
  firstForwardedAt: number | undefined;
  /** The provider's status, once known. */
  #status = 0;
  readonly #writer: ResponseWriter;
  /** What is left to send of a response that has ended. */
  #rest: Uint8Array | undefined;
  #remaining = Number.POSITIVE_INFINITY;
  /** Undefined if the response is no stream. */
  #tail: StreamTail | undefined;
  #cut: (() => void) | undefined;
  /** Headers that plugins add to any response, raw pairs. */
  #added: string[] | undefined;
  #onEnd: ((end: RequestEnd) => void)[] | undefined;
  #end: RequestEnd | undefined;

  constructor(deps: ExchangeDeps, response: ServerResponse, client?: { socket: ByteSocket; early: Uint8Array }) {
    this.#deps = deps;
    this.#response = response;
    this.#writer = new ResponseWriter(response, this);
    this.#client = client;
    this.recording = new Recording(deps.spool, this.id, deps.recordedBytesMax, this.clock);
    deps.inFlight.add(this);
    response.onClose(() => this.#onClientGone());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Takes the id that the client chose; only before anything is recorded. */
  adopt(id: string): void {
    this.id = id;
    this.recording = new Recording(this.#deps.spool, id, this.#deps.recordedBytesMax, this.clock);
  }

  /** Begins the record; the client may have left already. @returns false if the exchange cannot be recorded now. */
  begin(meta: BeginMeta): boolean {
    const recorded = this.recording.begin(meta);
    if (this.#ended) this.recording.end({ outcome: "client_gone", status: 499 });
    return recorded;
  }

  /** Adds a plugin's headers to the response, the provider's or ours. Values are sent as UTF-8; line ends become spaces. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#added ??= [];
    for (const [name, value] of ofPlugin(headers, this.#deps.idHeaders)) this.#added.push(name, toHeaderValue(value));
  }

  /** Calls `listener` when the exchange ends, or immediately if it has ended. */
  reportEnd(listener: (end: RequestEnd) => void): void {
    if (this.#end !== undefined) listener(this.#end);
    else if (this.#onEnd === undefined) this.#onEnd = [listener];
    else this.#onEnd.push(listener);
  }

  /** Sends the request to its target. */
  send(request: UpstreamRequest): UpstreamCall {
    return this.#receiving(this.#deps.upstream.open(request, this), true);
  }

  /**
   * Receives the response from the source that `open` starts.
   *
   * @param forwarded - false if this request itself is not passed on.
   */
  receive(open: (events: UpstreamEvents) => UpstreamCall, forwarded = true): UpstreamCall {
    return this.#receiving(open(this), forwarded);
  }

  #receiving(call: UpstreamCall, forwarded: boolean): UpstreamCall {
    this.call = call;
    if (forwarded) this.firstForwardedAt = this.clock(call.sentMs);
    this.recording.forwardedAt = this.firstForwardedAt;
    this.awaitProgress(this.#deps.upstreamTimeoutMs);
    return call;
  }

  /** Restarts the time limit for the client's body or the provider's head; later phases have no limit here. */
  awaitProgress(ms: number): void {
    const uploading = this.upload !== undefined && !this.upload.finished;
    this.#limitMs = this.#status !== 0 && !uploading ? 0 : ms;
    this.#waitsSinceMs = 0;
  }

  checkProgress(nowMs: number): void {
    if (this.#limitMs === 0) return;
    if (this.#waitsSinceMs === 0) this.#waitsSinceMs = nowMs;
    else if (nowMs - this.#waitsSinceMs > this.#limitMs) this.#onTooSlow();
  }

  /** Responds in the provider's place, and records that. Does nothing if the exchange has already ended. */
  respondOwn(own: OwnResponse, outcome: Ending["outcome"] = "refused"): void {
    if (this.#ended) return;
    this.call?.abort();
    if (this.#writer.headSent) {
      // Bytes received in the same turn as the failure still go to the client.
      this.#writer.flush();
      this.#finish({ outcome, status: own.status, error: own });
      this.#response.destroy();
      return;
    }
    this.#writer.headSent = true;
    const { status, body } = ownError(own, this.id, this.errorShape);
    const headers = errorHeaders({ ...own, status }, body.byteLength);
    this.recording.head(status, headers, "application/json", this.#headFacts());
    this.recording.responseBody(body);
    this.#finish({ outcome, status, error: { code: own.code, message: own.message } });
    const send = () => {
      this.#response.head(status, reasonOf(status), this.#withOwn(headers));
      this.upload?.stop();
      this.#response.end(body);
    };
    if (this.#deps.syncAlways && this.recording.begun) this.#synced().then(send);
    else send();
  }

  /**
   * The client's body is not well-formed HTTP.
   *
   * @returns false if the response has already begun.
   */
  refuseBrokenBody(): boolean {
    if (this.#ended || this.#writer.headSent) return false;
    this.respondOwn({ ...ownResponse("bad_request"), headers: { Connection: "close" } });
    return true;
  }

  onHead(status: number, reason: string, raw: readonly string[]): void {
    this.#status = status;
    this.awaitProgress(this.#deps.upstreamTimeoutMs);
    const { forward, contentLength, contentType } = readResponseHeaders(raw);
    if (contentLength !== undefined) this.#remaining = contentLength;
    const shown = maskResponseHeaders(forward, maskOf(this.provider).headers);
    const hit = this.cache?.hit;
    const facts = this.#headFacts();
    const more = hit ? { cacheReferenceId: hit.referenceId, cacheCreatedAt: hit.createdAt, ...facts } : facts;
    this.recording.head(status, shown, contentType, more);
    const headers = this.#withOwn(forward);
    if (STREAM_TYPE.test(contentType)) this.#tail = new StreamTail();
    if (this.#deps.syncAlways) this.#writer.headAfter(this.#synced(), status, reason, headers);
    else this.#writer.head(status, reason, headers);
  }

  onData(bytes: Uint8Array): void {
    this.recording.responseBody(bytes, this.#writer.isFlushDue);
    this.#remaining -= bytes.byteLength;
    this.#tail?.add(bytes);
    this.#writer.data(bytes, this.#remaining <= 0);
  }

  onEnd(): void {
    this.#writer.end();
  }

  flushRecord(): void {
    this.recording.flush();
  }

  hold(): void {
    this.call?.pause();
  }

  release(): void {
    this.call?.resume();
  }

  onWhole(): void {
    this.#deps.departures.add(this);
  }

  finish(nowMs: number): boolean {
    if (this.#ended) return false;
    this.#rest = this.#writer.takeHeld();
    this.#close(this.broken ?? COMPLETE, nowMs);
    return true;
  }

  depart(): void {
    this.upload?.stop();
    this.#response.end(this.#rest);
  }

  onError(error: UpstreamError): void {
    if (error instanceof OwnFailure) this.respondOwn(error.own, error.outcome);
    else if (error.kind === "forbidden") this.respondOwn(ownResponse("target_forbidden", error.message));
    else {
      const message = `${error.message}; check the target, or try again`;
      this.respondOwn(ownResponse("upstream_unreachable", message), "upstream_failed");
    }
  }

  onDrain(): void {
    this.upload?.resume();
  }

  // biome-ignore lint/complexity/useMaxParams: the arguments of UpstreamEvents, once per WebSocket
  onUpgrade(status: number, reason: string, raw: string[], socket: ByteSocket, early: Uint8Array): void {
    this.#limitMs = 0;
    this.#status = status;
    const client = this.#client;
    if (client === undefined || this.#ended) return void socket.destroy();
    const { forward } = readResponseHeaders(raw);
    this.recording.head(status, maskResponseHeaders(forward, maskOf(this.provider).headers), "");
    this.recording.flush();
    this.#writer.headSent = true;
    const upgrade = raw.find((_, at) => at % 2 === 1 && raw[at - 1]!.toLowerCase() === "upgrade") ?? "websocket";
    this.#response.head(status, reason, ["Upgrade", upgrade, "Connection", "Upgrade", ...this.#withOwn(forward)]);
    this.#response.flush();
    this.#cut = joinSockets({
      client: client.socket,
      clientEarly: client.early,
      provider: socket,
      providerEarly: early,
      headers: forward,
      recording: this.recording,
      onEnd: (outcome) => this.#finish({ outcome, status }),
    });
  }

  /** The provider took too long to send its head, or the client to send its body. */
  #onTooSlow(): void {
    if (this.upload !== undefined && !this.upload.finished && this.upload.waitsForClient) {
      const stalled = {
        ...ownResponse("bad_request", "the request body stopped coming; send the request again"),
        status: 408,
      };
      this.respondOwn(stalled, "client_gone");
    } else this.respondOwn(ownResponse("upstream_timeout"), "upstream_timeout");
  }

  cutOff(): void {
    if (this.#ended) return;
    if (!this.#writer.headSent) {
      this.respondOwn(ownResponse("shutting_down"), "cut_off");
      return;
    }
    this.call?.abort();
    this.#finish({ outcome: "cut_off", status: 500 });
    this.#cut?.();
    this.#response.destroy();
  }

  #headFacts(): Partial<HeadMeta> | undefined {
    if (this.attempt === undefined && this.routing === undefined) return undefined;
    return { ...this.attempt, ...(this.routing !== undefined && { routing: this.routing }) };
  }

  #withOwn(headers: readonly string[]): string[] {
    const own = withOwnHeaders(headers, this.#added, this.#deps.idHeaders, this.id, this.cache);
    for (const text of this.ownHeaders) own.push(text);
    return own;
  }

  /** Never rejects: if the spool cannot be synced to disk it reports that itself, and traffic continues. */
  #synced(): Promise<void> {
    return this.#deps.spool
      .synced()
      .catch((error: unknown) => this.#deps.log.error("the spool is not on the disk", { error: messageOf(error) }));
  }

  #onClientGone(): void {
    if (this.#ended || this.#cut !== undefined) return;
    if (!this.#writer.endRequested) this.call?.abort();
    this.upload?.stop();
    this.#finish(this.#endingOfGone());
  }

  /** A client that leaves may have received the last event of its stream: some do not wait for the end of the body. */
  #endingOfGone(): Ending {
    const gone = { outcome: "client_gone", status: 499 } as const;
    if (this.#tail === undefined || this.recording.responseBytes === 0 || !this.#writer.isTaken) return gone;
    return this.#tail.isWhole ? COMPLETE : { ...gone, mayBeWhole: true };
  }

  #finish(ending: Ending): void {
    if (this.#ended) return;
    this.#close(ending);
    this.recording.flush();
  }

  /** Ends the exchange; its record reaches the page cache with the next flush of the spool. */
  #close(ending: Ending, nowMs?: number): void {
    this.#ended = true;
    this.#limitMs = 0;
    this.#writer.takeHeld();
    this.#tail = undefined;
    this.recording.close(ending, nowMs);
    this.#deps.inFlight.remove(this);
    const { recording } = this;
    const status = ending.status ?? this.#status;
    this.#end = { id: this.id, status, outcome: ending.outcome, forwarded: recording.forwardedAt !== undefined };
    for (const listener of this.#onEnd ?? []) listener(this.#end);
    this.#deps.metrics.count(this.provider?.name ?? "CUSTOM", this.#end, this, recording);
  }
}
