import type { ApiError } from "../../../plugin-host/contract.ts";
import { type Failure, failureOf, restOf } from "../../../routing/failure.ts";
import { speedKey } from "../../../routing/order.ts";
import type { Sample } from "../../../routing/speeds.ts";
import { restSubjectOf } from "../../../routing/walk.ts";
import type { Upstream, UpstreamCall, UpstreamError, UpstreamEvents } from "../../../runtime/http/upstream.ts";
import { isPending, type Soon } from "../../../runtime/pending.ts";
import type { UnframedEvents, UsageStripper } from "../../../unified/passed-streams.ts";
import { OwnFailure } from "../../own-failure.ts";
import { STREAM_TYPE } from "../../recording.ts";
import { ownResponse } from "../../refusal.ts";
import { reasonOf } from "../attempt-metrics.ts";
import { type Attempt, readsStream } from "../call/attempt.ts";
import type { FailedOutcome, ResponseOptions } from "../call/outcome.ts";
import { respondConverted } from "./converted-response.ts";
import { DecodedEvents } from "./decoded-events.ts";
import { deliverError, deliverInOwnShape } from "./deliver-error.ts";
import { maskedValues, maskSecrets } from "./echoed-secrets.ts";
import { GatheredResponse, WHOLE_BYTES_MAX } from "./gathered-response.ts";
import { JoinedCall } from "./joined-call.ts";
import { noteResponse, warningsOf } from "./note-response.ts";
import { headerValue, noteProviderHead, passedHeaders } from "./provider-head.ts";
import type { BodyHost, ResponseBody } from "./response-body.ts";
import { SameShapeBody } from "./same-shape-body.ts";
import { respondTranslated, TranslatedBody } from "./translated-body.ts";

/** How long the head of the last target's stream is held back for its first event. */
const FIRST_EVENT_MS = 1_000;

/** The response of one attempt: held back until it is clear whether the client gets it, then passed on or translated. */
export class AttemptResponse implements UpstreamEvents, BodyHost {
  readonly options: ResponseOptions;
  readonly #startedMs = performance.now();
  #call: UpstreamCall | undefined;
  readonly #gathered = new GatheredResponse();
  /** Undefined for a response that is read as a unit: an error, or one that is not a stream. */
  #body: ResponseBody | undefined;
  #headSent = false;
  #over = false;
  slot = 0;
  /** When the head or the first content must have arrived, by `performance.now()`; 0 while no limit applies. */
  deadline = 0;
  #holdTimer: ReturnType<typeof setTimeout> | undefined;
  #lastByteMs = this.#startedMs;
  /** Whether the time limit includes the first content, which has not arrived. */
  awaitsContent = false;
  #firstContentMs: number | undefined;
  #translatedMs = 0;

  constructor(options: ResponseOptions) {
    this.options = options;
  }

  /** Makes the call. */
  open(): void {
    const { parts, attempt, admitted } = this.options;
    const { exchange } = admitted;
    const seconds = attempt.candidate.target.timeoutSeconds;
    const timeoutMs = seconds === undefined ? parts.upstreamTimeoutMs : seconds * 1_000;
    // The exchange's own limit must expire after this one.
    exchange.awaitProgress(timeoutMs + parts.upstreamTimeoutMs);
    this.deadline = this.#startedMs + timeoutMs;
    parts.unified.ticks.add(this);
    exchange.recording.forwardedAt = exchange.clock();
    this.#call = this.#open(attempt);
  }

  #open({ request, further, outbound }: Attempt): UpstreamCall {
    const upstream = this.#upstream();
    if (further.length === 0) return upstream.open(request, readsStream(outbound) ? new DecodedEvents(this) : this);
    return new JoinedCall({ upstream, requests: [request, ...further], events: this, bytesMax: WHOLE_BYTES_MAX });
  }

  #upstream(): Upstream {
    const { parts, attempt } = this.options;
    const { credential } = attempt.candidate;
    return credential !== "client" && credential.private ? parts.unified.privateUpstream : parts.upstream;
  }

  pause(): void {
    if (this.#headSent) this.#call?.pause();
  }

  resume(): void {
    if (this.#headSent) this.#call?.resume();
  }

  abort(): void {
    this.#over = true;
    this.#call?.abort();
    this.#stop();
    const subject = restSubjectOf(this.options.attempt.candidate);
    if (subject !== undefined) this.options.parts.unified.rests.release(subject);
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    const { attempt, work, walk, parts } = this.options;
    this.#gathered.head = { status, reason, headers: maskedValues(headers, attempt.secrets) };
    this.#lastByteMs = performance.now();
    const contentType = headerValue(headers, "content-type");
    const isStream = STREAM_TYPE.test(contentType);
    const isGathered =
      status >= 400 ||
      attempt.outbound.kind === "converted" ||
      (attempt.outbound.kind === "translated" && !(isStream && work.description.stream));
    // After the head, only the limit on silence applies.
    if (isGathered) {
      this.deadline = 0;
      return;
    }
    // A target's own time limit includes a stream's first content, whether the stream is held back or not.
    this.awaitsContent = isStream && attempt.candidate.target.timeoutSeconds !== undefined;
    if (!this.awaitsContent) this.deadline = 0;
    this.#body =
      attempt.outbound.kind === "translated"
        ? new TranslatedBody(this, contentType)
        : new SameShapeBody(this, { isStream, isCoded: headerValue(headers, "content-encoding") !== "" });
    if (this.#headSent || this.#over) return;
    const holdMs = walk.hasMore ? parts.unified.holdMs : FIRST_EVENT_MS;
    this.#holdTimer = setTimeout(() => this.#body?.release(), holdMs);
  }

  onData(bytes: Uint8Array): void {
    this.#lastByteMs = performance.now();
    if (this.#over) return;
    if (this.#body !== undefined) {
      if (!this.#headSent) this.#gathered.hold(bytes);
      this.#body.onData(bytes);
    } else if (!this.#gathered.gather(bytes)) this.failMalformed();
  }

  onEnd(): void {
    if (this.#over) return;
    if (this.#body !== undefined) this.#body.onEnd();
    else void this.#readWhole();
  }

  onError(error: UpstreamError): void {
    if (this.#over) return;
    this.#call?.abort(); // a stream that cannot be decompressed may still be arriving
    if (this.#headSent) {
      this.#noteBroken("network");
      this.#body!.onBroken({ status: 502, code: "upstream_unreachable", message: error.message });
      return;
    }
    this.#fail({ status: 0, kind: "network", reason: "network" }, () => {
      this.#noteResponse();
      this.options.events.onError(error);
    });
  }

  // --- BodyHost

  sendHead(headers: readonly string[] | undefined, filter?: UnframedEvents | UsageStripper, estimated = false): void {
    if (this.#headSent || this.#over) return;
    this.#headSent = true;
    if (!this.awaitsContent) this.deadline = 0;
    this.#gathered.drop();
    this.#firstContentMs = performance.now();
    const { events, parts, isPaused, attempt } = this.options;
    const subject = restSubjectOf(attempt.candidate);
    if (subject !== undefined) parts.unified.rests.succeed(subject);
    parts.unified.metrics.responded(attempt.candidate);
    if (filter !== undefined) this.noteHead();
    this.#noteResponse(estimated);
    if (headers === undefined) {
      const { status, reason, headers: provided } = this.#gathered.head;
      events.onHead(status, reason, passedHeaders(provided, filter));
    } else events.onHead(200, "OK", [...headers]);
    if (isPaused()) this.#call?.pause();
  }

  noteContent(): void {
    this.awaitsContent = false;
    this.deadline = 0;
  }

  noteHead(): void {
    noteProviderHead(this.options, this.#gathered.head);
  }

  get isOver(): boolean {
    return this.#over;
  }

  translating<T>(work: () => T): T {
    const startedMs = performance.now();
    const note = () => {
      this.#translatedMs += performance.now() - startedMs;
    };
    const result = work();
    if (isPending(result)) result.then(note, note);
    else note();
    return result;
  }

  finish(outputTokens?: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#stop();
    const { parts, attempt, events, work, admitted } = this.options;
    const now = performance.now();
    const sample: Sample = {
      totalMs: now - this.#startedMs,
      firstTokenMs: work.description.stream ? (this.#firstContentMs ?? now) - this.#startedMs : undefined,
      outputTokens,
      requestId: outputTokens === undefined ? admitted.exchange.id : undefined,
    };
    if (attempt.outbound.kind !== "same")
      parts.unified.metrics.translated(attempt.candidate, attempt.writtenMs + this.#translatedMs);
    // Counting, retrieval and what broke off say nothing about a model's speed.
    const { kind } = work.admission.endpoint;
    if (kind !== "count" && kind !== "stored" && admitted.exchange.broken === undefined)
      parts.unified.speeds.note(speedKey(attempt.candidate.target), sample, Date.now());
    events.onEnd();
  }

  failInStream(error: ApiError, gathered?: Uint8Array): void {
    this.#call?.abort();
    const { outbound, secrets } = this.options.attempt;
    const bytes = this.#gathered.mask(secrets, gathered);
    const original = outbound.kind === "same" ? undefined : bytes;
    const status = error.status >= 400 ? error.status : 502;
    const message = maskSecrets(error.message, secrets);
    const failure = failureOf(status, `${error.code ?? ""} ${error.type ?? ""} ${error.message}`);
    this.#fail(
      failure,
      () => {
        this.#noteProviderSide();
        deliverInOwnShape(this.options, this.#gathered.head, { ...error, message, status }, original);
      },
      message,
    );
  }

  failMalformed(): void {
    this.#call?.abort();
    this.#fail({ status: 502, kind: "malformed", reason: "a response that cannot be read" }, () => {
      this.#noteProviderSide();
      this.options.events.onError(new OwnFailure(ownResponse("upstream_malformed"), "upstream_failed"));
    });
  }

  cutOff({ code, message }: Pick<ApiError, "code" | "message">): void {
    if (!this.#headSent) this.#noteProviderSide();
    this.#over = true;
    this.#stop();
    this.#call?.abort();
    const isTimeout = code === "upstream_timeout";
    const kind = isTimeout || code === "upstream_stalled" || code === "plugin_failed" ? code : "upstream_unreachable";
    this.options.events.onError(
      new OwnFailure(ownResponse(kind, message), isTimeout ? "upstream_timeout" : "upstream_failed"),
    );
  }

  // --- gathered responses

  async #readWhole(): Promise<void> {
    this.deadline = 0;
    const held = this.heldBytes();
    const bytes = isPending(held) ? await held : held;
    const { outbound } = this.options.attempt;
    const { isError, head, chunks } = this.#gathered;
    if (this.#over) return;
    if (isError) this.#failWith(bytes ?? new Uint8Array(0));
    else if (bytes === undefined) this.failMalformed();
    else if (outbound.kind === "converted") await respondConverted(this, outbound, head, { bytes, chunks });
    else await respondTranslated(this, { bytes, chunks, contentType: headerValue(head.headers, "content-type") });
  }

  /** @param decoded - the response, decompressed. */
  #failWith(decoded: Uint8Array): void {
    const bytes = this.#gathered.mask(this.options.attempt.secrets, decoded);
    const { head, chunks } = this.#gathered;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    const failure = failureOf(head.status, text, restOf(head.headers, Date.now()));
    const deliver = () => {
      this.#noteResponse();
      deliverError(this.options, head, chunks, bytes);
    };
    this.#fail(failure, deliver, text);
  }

  /** Notes who responded, and records the provider's response if the client gets a different one. */
  #noteProviderSide(): void {
    this.#noteResponse();
    this.noteHead();
    for (const chunk of this.#gathered.chunks) this.options.admitted.exchange.recording.providerBody(chunk);
  }

  heldBytes(): Soon<Uint8Array | undefined> {
    return this.#gathered.decoded();
  }

  // --- failures

  /** Called by `Ticks` after the deadline. */
  onDeadline(): void {
    this.deadline = 0;
    this.#onTimeout();
  }

  #onTimeout(code: "upstream_timeout" | "upstream_stalled" = "upstream_timeout"): void {
    if (this.#over) return;
    this.#call?.abort();
    if (this.#headSent) {
      this.#noteBroken("timeout");
      this.#body?.onBroken({ status: 504, code, message: "the target's time to its first content is over" });
      return;
    }
    this.#fail({ status: 0, kind: "timeout", reason: "timeout" }, () => {
      this.#noteResponse();
      this.options.events.onError(new OwnFailure(ownResponse(code), "upstream_timeout"));
    });
  }

  /** Ends a call whose provider is silent, and sends keep-alives to the client. Before the head only the deadline applies. */
  tick(): void {
    if (this.#gathered.head.status === 0) return;
    const { stallMs } = this.options.parts.unified;
    if (this.options.isPaused()) this.#lastByteMs = performance.now();
    else if (performance.now() - this.#lastByteMs < stallMs) this.#body?.keepAlive?.();
    else if (this.#headSent) {
      this.#call?.abort();
      const message = "the provider stopped in the middle of its response";
      this.#noteBroken("timeout");
      this.#body?.onBroken({ status: 504, code: "upstream_stalled", message });
    } else this.#onTimeout("upstream_stalled");
  }

  /** Sets who responds, before any of the response is sent. */
  #noteResponse(estimated = false): void {
    noteResponse(this.options, warningsOf(this.options, estimated));
  }

  #fail(failure: Failure, deliver: () => void, body = ""): void {
    if (this.#over) return;
    this.#over = true;
    this.#stop();
    const { parts, attempt } = this.options;
    parts.unified.metrics.failed(attempt.candidate, reasonOf(failure));
    const { status, headers } = this.#gathered.head;
    const outcome: FailedOutcome = {
      failure,
      attempt,
      head: status === 0 ? undefined : { status, headers },
      bytes: this.#gathered.joined(),
      body,
      deliver,
    };
    queueMicrotask(() => this.options.onFailed(outcome));
  }

  /** Counts a failure after the response had begun. */
  #noteBroken(reason: string): void {
    const { parts, attempt } = this.options;
    parts.unified.metrics.failed(attempt.candidate, reason, true);
  }

  #stop(): void {
    this.deadline = 0;
    clearTimeout(this.#holdTimer);
    this.options.parts.unified.ticks.delete(this);
  }
}
