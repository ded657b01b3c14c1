/** The position of a span in its trace. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  /** False if the client's own tracing does not sample this trace. */
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The client's trace if its `traceparent` header (W3C Trace Context) names one; otherwise a new trace, whose id is the
 * request's id without dashes. The span's id is derived from the request's id, so that a span sent twice is the same span.
 */
export function traceOf(requestId: string, headers: Headers): Trace {
  const hex = requestId.replaceAll("-", "");
  const spanId = hex.slice(16);
  const parent = parentOf(headers.get("traceparent"));
  if (parent === undefined) {
    return { traceId: hex, spanId, parentSpanId: undefined, traceState: undefined, sampled: true };
  }
  return { ...parent, spanId, traceState: headers.get("tracestate") ?? undefined };
}

function parentOf(header: string | null) {
  const found = TRACEPARENT.exec(header?.trim() ?? "");
  if (found === null) return undefined;
  const [, version, traceId, parentSpanId, flags, more] = found as unknown as [string, ...string[]];
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId!) || /^0+$/.test(parentSpanId!)) return undefined;
  return { traceId: traceId!, parentSpanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
