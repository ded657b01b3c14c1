import { GatewayError } from "../errors.ts";
import type { KeySnapshot } from "../keys.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import type { BodySink, IncomingRequest, ServerResponse } from "../runtime/http/server.ts";

/** Buffered bytes of a response for a slow browser. */
const WAITING_BYTES_MAX = 256 * 1_024;

/** The hash of a service key, which must still be valid, or the id of a user. */
export type SentFor = string | KeySnapshot;

interface Sent {
  /** Path at the unified address. */
  readonly url: string;
  /** Raw pairs. */
  readonly headers: readonly string[];
  readonly sentFor: SentFor;
}

/** Sends a request through the gateway of this process, from another thread: without a connection and without a plain key. */
export function sendThroughGateway(passedOn: PassedOn, request: Request, sent: Sent): Promise<Response> {
  const response = new FetchResponse();
  request.signal.addEventListener("abort", () => response.left());
  passedOn.passOn(new FetchRequest(request, sent), response, sent.sentFor);
  return response.response;
}

/** Adapts a `Request` to the gateway's request interface. */
class FetchRequest implements IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly old = false;
  readonly rawHeaders: readonly string[];
  readonly waitsForContinue = false;
  readonly #body: ReadableStream<Uint8Array> | null;
  #resumed = Promise.withResolvers<void>();

  constructor({ method, body }: Request, { url, headers }: Sent) {
    this.method = method;
    this.url = url;
    this.rawHeaders = headers;
    this.#body = body;
    this.#resumed.resolve();
  }

  sendContinue(): void {}

  read(sink: BodySink): void {
    void this.#pump(sink).catch(() => sink.onBroken());
  }

  pause(): void {
    this.#resumed = Promise.withResolvers();
  }

  resume(): void {
    this.#resumed.resolve();
  }

  async #pump(sink: BodySink): Promise<void> {
    for await (const bytes of this.#body ?? []) {
      sink.onData(bytes);
      await this.#resumed.promise;
    }
    sink.onEnd();
  }
}

/** Headers of the gateway's response that a page may read. Others, such as a provider's, could affect the whole origin. */
const SHOWN = /^(?:content-type|content-encoding|retry-after|retry-after-ms|gateway-.+)$/i;

/** Prevents a browser from running any content of a provider's response at this address. */
const SAFE = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
};

/** The gateway's response as a `Response`. */
class FetchResponse implements ServerResponse {
  readonly response: Promise<Response>;
  readonly #made = Promise.withResolvers<Response>();
  readonly #body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOver = false;
  #onClose: (() => void) | undefined;
  #onDrain: (() => void) | undefined;

  constructor() {
    this.response = this.#made.promise;
    const room = { highWaterMark: WAITING_BYTES_MAX, size: (bytes: Uint8Array | undefined) => bytes?.byteLength ?? 0 };
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#drained(),
        cancel: () => this.left(),
      },
      room,
    );
  }

  /** The browser has left. */
  left(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onClose?.();
  }

  head(status: number, _reason: string, raw: readonly string[]): void {
    const headers = new Headers(SAFE);
    for (let at = 0; at < raw.length; at += 2) if (SHOWN.test(raw[at]!)) headers.append(raw[at]!, raw[at + 1]!);
    this.#made.resolve(new Response(this.#body, { status, headers }));
  }

  flush(): void {}

  write(bytes: Uint8Array): boolean {
    if (this.#isOver) return true;
    this.#controller.enqueue(bytes);
    return (this.#controller.desiredSize ?? 0) > 0;
  }

  end(bytes?: Uint8Array): void {
    if (this.#isOver) return;
    if (bytes !== undefined && bytes.byteLength > 0) this.#controller.enqueue(bytes);
    this.#isOver = true;
    this.#controller.close();
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const broken = new GatewayError("internal_error", "the gateway aborted the response");
    this.#made.reject(broken); // ignored if the head was already sent
    this.#controller.error(broken);
  }

  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  #drained(): void {
    const listener = this.#onDrain;
    this.#onDrain = undefined;
    listener?.();
  }
}
