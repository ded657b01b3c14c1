import { GatewayError } from "../../../errors.ts";
import type { CallMemory } from "../../../mapping/translate/call-memory.ts";
import type { ApiError, Prompt } from "../../../plugin-host/contract.ts";
import { isPending, type Soon } from "../../../runtime/pending.ts";
import { apiOf } from "../../../unified/endpoints.ts";
import { framingOf, type ResponseContext, TranslatedStream, type WholeResponse } from "../../../unified/response.ts";
import type { Attempt } from "../call/attempt.ts";
import type { ResponseOptions } from "../call/outcome.ts";
import { maskedBytes, maskSecrets } from "./echoed-secrets.ts";
import { type BodyHost, type ResponseBody, STREAM_HEADERS } from "./response-body.ts";

const KEEP_ALIVE_MS = 15_000;

const MALFORMED: ApiError = {
  status: 502,
  code: "upstream_malformed",
  message: "an event of the stream is too large",
};

/** A provider's stream in the client's shape: every event is sent as it arrives. */
export class TranslatedBody implements ResponseBody {
  readonly #host: BodyHost;
  readonly #stream: TranslatedStream;
  #headSent = false;
  /** Translated text not sent yet. */
  #held = "";
  /** Provider bytes from before the head was sent: they are recorded only if the client gets this response. */
  #heldBytes: Uint8Array[] = [];
  #sentMs = performance.now();

  constructor(host: BodyHost, contentType: string) {
    this.#host = host;
    const framing = framingOf(contentType) ?? "ndjson";
    this.#stream = new TranslatedStream(framing, contextOf(host.options));
  }

  onData(bytes: Uint8Array): void {
    if (this.#headSent) this.#note(bytes);
    else this.#heldBytes.push(bytes);
    if (!this.#write(() => this.#host.translating(() => this.#stream.push(bytes)))) return;
    if (this.#host.awaitsContent && this.#stream.hasContent) this.#host.noteContent();
    if (this.#headSent) this.#flush();
    else if (this.#isFailure()) this.#host.failInStream(this.#stream.error!);
    else if (this.#stream.hasContent || (this.#stream.begun && !this.#host.options.walk.hasMore)) this.release();
    if (this.#headSent && this.#stream.ended) this.#finish();
  }

  release(): void {
    if (!this.#headSent) {
      this.#headSent = true;
      this.#host.noteHead();
      for (const bytes of this.#heldBytes) this.#note(bytes);
      this.#heldBytes = [];
      this.#host.sendHead(STREAM_HEADERS);
    }
    this.#flush();
  }

  #note(bytes: Uint8Array): void {
    const { admitted, attempt } = this.#host.options;
    admitted.exchange.recording.providerBody(maskedBytes(bytes, attempt.secrets));
  }

  /** @returns false if the text cannot be written: then the response has ended. */
  #write(text: () => string): boolean {
    try {
      this.#held += text();
      return true;
    } catch (error) {
      if (error instanceof GatewayError) this.#host.cutOff(error);
      else if (!this.#headSent) this.#host.failMalformed();
      else if (this.#stream.ended) this.#finish();
      else this.onBroken(MALFORMED);
      return false;
    }
  }

  onEnd(): void {
    if (!this.#write(() => this.#stream.end())) return;
    if (!this.#headSent && this.#isFailure()) {
      this.#host.failInStream(this.#stream.error!);
      return;
    }
    this.release();
    const { error } = this.#stream;
    if (error?.code === "upstream_malformed") this.#noteBroken(error);
    this.#finish();
  }

  onBroken(error: ApiError): void {
    if (!this.#write(() => this.#stream.fail(error))) return;
    this.#flush();
    this.#noteBroken(error);
    this.#finish();
  }

  /** The client gets a complete stream, which ends with this error; the provider's response was not complete. */
  #noteBroken({ status, code = "upstream_malformed", message }: ApiError): void {
    const outcome = code === "upstream_timeout" ? code : "upstream_failed";
    this.#host.options.admitted.exchange.broken = { outcome, status, error: { code, message } };
  }

  keepAlive(): void {
    if (!this.#headSent || performance.now() - this.#sentMs < KEEP_ALIVE_MS) return;
    if (!this.#write(() => this.#stream.keepAlive())) return;
    this.#flush();
  }

  #isFailure(): boolean {
    return this.#stream.error !== undefined && !this.#stream.hasContent;
  }

  #finish(): void {
    noteStates(this.#host.options, this.#stream.states);
    this.#host.finish(this.#stream.usage?.completion_tokens);
  }

  #flush(): void {
    if (this.#held === "") return;
    this.#sentMs = performance.now();
    const { events, attempt } = this.#host.options;
    const text = this.#stream.error === undefined ? this.#held : maskSecrets(this.#held, attempt.secrets);
    this.#held = "";
    events.onData(Buffer.from(text));
  }
}

/** A complete response in the client's shape; a client that requested a stream gets its events. */
export async function respondTranslated(
  host: BodyHost,
  { bytes, chunks, contentType }: { bytes: Uint8Array; chunks: readonly Uint8Array[]; contentType: string },
): Promise<void> {
  const { translator } = host.options.parts.unified;
  const context = contextOf(host.options);
  const translating = wholeOf(host, () => translator.whole(bytes, context, framingOf(contentType)));
  const whole = isPending(translating) ? await translating : translating;
  if (host.isOver || whole === undefined) return;
  if (whole.kind !== "answer") {
    if (whole.kind === "error") host.failInStream(whole.error, bytes);
    else host.failMalformed();
    return;
  }
  const { admitted, events } = host.options;
  host.noteHead();
  for (const chunk of chunks) admitted.exchange.recording.providerBody(chunk);
  noteStates(host.options, whole.states);
  const headers = whole.isStream
    ? STREAM_HEADERS
    : ["Content-Type", "application/json", "Content-Length", String(whole.body.byteLength)];
  host.sendHead(headers, undefined, whole.estimated);
  events.onData(whole.body);
  host.finish(whole.usage?.completion_tokens);
}

/** Undefined if a drop-in's shape failed: then the response has ended. */
function wholeOf(host: BodyHost, translate: () => Soon<WholeResponse>): Soon<WholeResponse | undefined> {
  try {
    return host.translating(translate);
  } catch (error) {
    if (error instanceof GatewayError) host.cutOff(error);
    else host.failMalformed();
    return undefined;
  }
}

/** A response repeats the id of the one that it continues from, whether or not the id was sent to the provider. */
function withoutEarlier(prompt: Prompt, { previousResponse }: ResponseOptions["work"]["description"]): Prompt {
  return previousResponse === undefined ? prompt : { ...prompt, settings: { ...prompt.settings, previousResponse } };
}

/** Stores the state of calls, here and with the record, because clients may drop it. */
function noteStates({ parts, admitted }: ResponseOptions, states: ReadonlyMap<string, CallMemory>): void {
  parts.unified.callStates.note(admitted.meta.organization, states);
  admitted.exchange.recording.callStates(states);
}

function contextOf({ attempt, work, admitted }: ResponseOptions): ResponseContext {
  const { endpoint } = work.admission;
  const outbound = attempt.outbound as Extract<Attempt["outbound"], { readonly kind: "translated" }>;
  return {
    outbound: { ...outbound, prompt: withoutEarlier(outbound.prompt, work.description) },
    to: "shape" in endpoint ? apiOf(endpoint) : "chat-completions",
    issuer: attempt.issuer,
    requestId: admitted.exchange.id,
    model: attempt.candidate.model,
    startedAt: admitted.exchange.startedAt,
    inputTokens: work.description.inputTokens,
  };
}
