/** An attribute's value, as in JSON. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

export type Attributes = ReadonlyMap<string, Value>;

export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

/** A span from OTLP, in JSON or protobuf. Ids are hexadecimal, in lower case; times are milliseconds since 1970. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined at the root. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly failed: boolean;
  readonly statusMessage: string;
  /** Of the program that made the span. */
  readonly resource: Attributes;
}

/** Spans per request; the rest is rejected and counted. */
const SPANS_MAX = 5_000;
/** Attributes and events read per span. */
export const ATTRIBUTES_MAX = 2_048;
export const EVENTS_MAX = 128;
/** Deeper values are null. */
export const DEPTH_MAX = 32;

/** The spans of a request, and how many were rejected, with the first reason. */
export interface ReadSpans {
  readonly spans: readonly Span[];
  readonly rejected: number;
  readonly why: string | undefined;
}

type Raw = Omit<Span, "parentSpanId"> & { readonly parentSpanId: string };

/** Collects spans and rejects invalid ones. */
export class SpanList {
  readonly #spans: Span[] = [];
  #rejected = 0;
  #why: string | undefined;

  add(raw: Raw): void {
    const why = this.#spans.length >= SPANS_MAX ? `a request has at most ${SPANS_MAX} spans` : whatIsWrong(raw);
    if (why !== undefined) {
      this.#rejected++;
      this.#why ??= why;
      return;
    }
    const parentSpanId = isId(raw.parentSpanId, 16) ? raw.parentSpanId : undefined;
    this.#spans.push({ ...raw, parentSpanId });
  }

  read(): ReadSpans {
    return { spans: this.#spans, rejected: this.#rejected, why: this.#why };
  }
}

const TIME_MAX = Date.UTC(9999, 11, 31);

function whatIsWrong({ traceId, spanId, startedAt, endedAt }: Raw): string | undefined {
  if (!isId(traceId, 32)) return "a trace id is 16 bytes, not all zero";
  if (!isId(spanId, 16)) return "a span id is 8 bytes, not all zero";
  if (!(startedAt > 0 && startedAt <= endedAt && endedAt <= TIME_MAX))
    return "a span has a start, and an end that is not before it";
  return undefined;
}

function isId(hex: string, length: number): boolean {
  return hex.length === length && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex);
}
