import type { ApiError } from "../../plugin/contract.ts";
import { type ResponseContext, TranslatedStream, translateWhole } from "../../unified/response.ts";
import type { Attempt } from "./attempt.ts";
import type { ResponseOptions } from "./outcome.ts";
import { type BodyHost, type ResponseBody, STREAM_HEADERS } from "./response-body.ts";

const KEEP_ALIVE_MS = 15_000;

const MALFORMED: ApiError = {
  status: 502,
  code: "upstream_malformed",
  message: "an event of the stream is too large",
};

/** A provider's stream in the client's shape: every event leaves when it comes. */
export class TranslatedBody implements ResponseBody {
  readonly #host: BodyHost;
  readonly #stream: TranslatedStream;
  #headSent = false;
  /** Text that waits for the head. */
  #held = "";
  /** What came before the head left: the client's record has it only where the client gets it. */
  #heldBytes: Uint8Array[] = [];
  #sentMs = performance.now();

  constructor(host: BodyHost, contentType: string) {
    this.#host = host;
    const framing = contentType.includes("amazon.eventstream")
      ? "aws"
      : contentType.includes("event-stream")
        ? "sse"
        : "ndjson";
    this.#stream = new TranslatedStream(framing, contextOf(host.options));
  }

  onData(bytes: Uint8Array): void {
    if (this.#headSent) this.#host.options.admitted.exchange.recording.providerBody(bytes);
    else this.#heldBytes.push(bytes);
    try {
      this.#held += this.#stream.push(bytes);
    } catch {
      if (this.#headSent) this.onBroken(MALFORMED);
      else this.#host.failMalformed();
      return;
    }
    if (this.#headSent) this.#flush();
    else if (this.#isFailure()) this.#host.failInStream(this.#stream.error!);
    else if (this.#stream.hasContent || (this.#stream.begun && !this.#host.options.walk.hasMore)) this.release();
    if (this.#headSent && this.#stream.ended) this.#finish();
  }

  release(): void {
    if (!this.#headSent) {
      this.#headSent = true;
      this.#host.noteHead();
      for (const bytes of this.#heldBytes) this.#host.options.admitted.exchange.recording.providerBody(bytes);
      this.#heldBytes = [];
      this.#host.sendHead(STREAM_HEADERS);
    }
    this.#flush();
  }

  onEnd(): void {
    this.#held += this.#stream.end();
    if (!this.#headSent && this.#isFailure()) {
      this.#host.failInStream(this.#stream.error!);
      return;
    }
    this.release();
    this.#finish();
  }

  onBroken(error: ApiError): void {
    this.#held += this.#stream.fail(error);
    this.#flush();
    this.#finish();
  }

  keepAlive(): void {
    if (!this.#headSent || performance.now() - this.#sentMs < KEEP_ALIVE_MS) return;
    this.#held += this.#stream.keepAlive();
    this.#flush();
  }

  #isFailure(): boolean {
    return this.#stream.error !== undefined && !this.#stream.hasContent;
  }

  #finish(): void {
    const { parts, admitted } = this.#host.options;
    parts.unified.callStates.note(admitted.meta.organization, this.#stream.states);
    this.#host.finish(this.#stream.usage?.completion_tokens);
  }

  #flush(): void {
    if (this.#held === "") return;
    this.#sentMs = performance.now();
    const text = this.#held;
    this.#held = "";
    this.#host.options.events.onData(Buffer.from(text));
  }
}

/** A whole response in the client's shape; a client that asked for a stream gets its events. */
export function answerTranslated(host: BodyHost, bytes: Uint8Array, chunks: readonly Uint8Array[]): void {
  const whole = translateWhole(bytes, contextOf(host.options));
  if (whole.kind !== "answer") {
    if (whole.kind === "error") host.failInStream(whole.error);
    else host.failMalformed();
    return;
  }
  const { parts, admitted, events } = host.options;
  host.noteHead();
  for (const chunk of chunks) admitted.exchange.recording.providerBody(chunk);
  parts.unified.callStates.note(admitted.meta.organization, whole.states);
  const headers = whole.isStream
    ? STREAM_HEADERS
    : ["Content-Type", "application/json", "Content-Length", String(whole.body.byteLength)];
  host.sendHead(headers, undefined, whole.estimated);
  events.onData(whole.body);
  host.finish(whole.usage?.completion_tokens);
}

function contextOf({ attempt, work, admitted }: ResponseOptions): ResponseContext {
  const { endpoint } = work.admission;
  return {
    outbound: attempt.outbound as Extract<Attempt["outbound"], { readonly kind: "translated" }>,
    to: "shape" in endpoint ? endpoint.shape : "chat-completions",
    issuer: attempt.issuer,
    requestId: admitted.exchange.id,
    model: attempt.candidate.model,
    startedAt: admitted.exchange.startedAt,
    inputTokens: work.description.inputTokens,
  };
}
