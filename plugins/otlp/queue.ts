import type { PluginLog } from "weir/plugin";
import type { Span } from "./span.ts";

interface SpanQueueOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly batchSpans: number;
  readonly queueSpans: number;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly log: PluginLog;
}

/** Statuses that OTLP defines as retryable. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;
/** How long a stop waits for the collector, in milliseconds. */
const CLOSE_MS = 3_000;
const RESPONSE_CHARACTERS_MAX = 10_000;

/** The result of one batch. */
type Outcome =
  | { readonly sent: number }
  | { readonly retryMs: number | undefined; readonly why: string }
  | { readonly why: string };

/**
 * Spans on their way to a collector: at most `queueSpans` of them, in batches, one request at a time. A batch that the
 * collector does not accept is retried with growing delays; meanwhile the queue fills, and spans beyond its limit are
 * dropped and counted.
 */
export class SpanQueue {
  readonly counts = { spans_exported: 0, spans_dropped: 0, spans_rejected: 0, spans_unsampled: 0, export_failures: 0 };
  readonly #options: SpanQueueOptions;
  #waiting: Span[] = [];
  /** Spans of the batch in flight: they may have to be sent again. */
  #underWay = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #pauseMs = 0;
  #closed = false;
  #complained = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#closed || this.#waiting.length + this.#underWay >= this.#options.queueSpans) {
      this.counts.spans_dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#sending !== undefined || this.#pauseMs > 0) return;
    if (this.#waiting.length >= this.#options.batchSpans) this.#send();
    else this.#timer ??= this.#after(this.#options.intervalMs);
  }

  /** Sends the queued spans once, and drops what the collector does not accept within three seconds. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const endsAt = performance.now() + CLOSE_MS;
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([this.#sending, late]);
    while (this.#waiting.length > 0 && performance.now() < endsAt) {
      const batch = this.#waiting.splice(0, this.#options.batchSpans);
      const outcome = await this.#post(batch, endsAt - performance.now());
      if (!this.#settle(batch, outcome)) {
        this.counts.spans_dropped += batch.length;
        break;
      }
    }
    this.counts.spans_dropped += this.#waiting.length;
    this.#waiting = [];
  }

  #after(ms: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#send(), ms);
    timer.unref();
    return timer;
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (!this.#closed && this.#waiting.length > 0) {
        this.#timer = this.#after(this.#pauseMs > 0 ? this.#pauseMs : this.#options.intervalMs);
      }
    });
  }

  /** Sends until the queue is empty or the collector requests a pause: the batch then returns to the front. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      const batch = this.#waiting.splice(0, this.#options.batchSpans);
      this.#underWay = batch.length;
      const outcome = await this.#post(batch, this.#options.timeoutMs);
      this.#underWay = 0;
      if (this.#settle(batch, outcome)) {
        this.#pauseMs = 0;
        continue;
      }
      this.#waiting.unshift(...batch);
      const requestedMs = "retryMs" in outcome ? outcome.retryMs : undefined;
      const grown = Math.min(PAUSE_MS_MAX, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2));
      // Jitter of up to a fifth, so that many gateways do not retry at the same time.
      this.#pauseMs = Math.min(PAUSE_MS_MAX, requestedMs ?? grown * (0.8 + Math.random() * 0.4));
      return;
    }
  }

  /** Counts the result of a batch. @returns false if it must be retried. */
  #settle(batch: readonly Span[], outcome: Outcome): boolean {
    if ("sent" in outcome) {
      this.counts.spans_exported += outcome.sent;
      this.counts.spans_rejected += batch.length - outcome.sent;
      if (this.#complained) this.#options.log.info("the collector takes spans again");
      this.#complained = false;
      return true;
    }
    this.counts.export_failures++;
    if (!this.#complained) this.#options.log.warn(`the collector does not take spans: ${outcome.why}`);
    this.#complained = true;
    if ("retryMs" in outcome) return false;
    this.counts.spans_rejected += batch.length;
    return true;
  }

  async #post(batch: readonly Span[], limitMs: number): Promise<Outcome> {
    const { url, headers, resource } = this.#options;
    const attributes = Object.entries(resource).map(([key, value]) => ({ key, value: { stringValue: value } }));
    const scopeSpans = [{ scope: { name: "weir" }, spans: batch }];
    const body = JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        redirect: "error",
        signal: AbortSignal.timeout(Math.max(1, limitMs)),
      });
      const text = (await response.text()).slice(0, RESPONSE_CHARACTERS_MAX);
      if (response.ok) return { sent: batch.length - Math.min(batch.length, rejectedIn(text)) };
      const why = `it responded with ${response.status}`;
      return TRY_AGAIN.has(response.status) ? { retryMs: retryAfterMs(response.headers), why } : { why };
    } catch (error) {
      return { retryMs: undefined, why: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Spans that the collector reports as accepted but dropped. */
function rejectedIn(text: string): number {
  try {
    const count = Number(JSON.parse(text)?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0; // a response without a body, or in another format, rejects nothing
  }
}

function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
