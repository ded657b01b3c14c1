import type { Span } from "./span.ts";
import type { Step } from "./step.ts";

/** Spans followed between a step and its enclosing step, at most. */
const HOPS_MAX = 64;

/** The key of a span. */
export const keyOf = (traceId: string, spanId: string) => `${traceId}:${spanId}`;

/** Spans that are not steps, remembered for later exports, at most. */
const REMEMBERED_MAX = 20_000;

/** By organization, trace and span: the parent of a span that is not a step. Only from the most recent exports. */
export class PassedOver {
  readonly #parents = new Map<string, string | undefined>();

  note(organizationId: string, spans: readonly Span[]): void {
    for (const { traceId, spanId, parentSpanId } of spans)
      this.#parents.set(`${organizationId}:${keyOf(traceId, spanId)}`, parentSpanId);
    for (const oldest of this.#parents.keys()) {
      if (this.#parents.size <= REMEMBERED_MAX) return;
      this.#parents.delete(oldest);
    }
  }

  /** @returns undefined for an unknown span; for a known one a list with its parent's id, which is undefined at the root. */
  parentOf(organizationId: string, traceId: string, spanId: string): readonly [string | undefined] | undefined {
    const key = `${organizationId}:${keyOf(traceId, spanId)}`;
    return this.#parents.has(key) ? [this.#parents.get(key)] : undefined;
  }
}

/** The nesting of spans. Spans that are not steps, such as an HTTP client's, are skipped. */
export class SpanTree {
  readonly #parentOf: (traceId: string, spanId: string) => readonly [string | undefined] | undefined;
  readonly #steps: ReadonlyMap<string, Step>;

  /** @param parentOf - of spans that are skipped, those of this export among them. */
  constructor(
    steps: readonly Step[],
    parentOf: (traceId: string, spanId: string) => readonly [string | undefined] | undefined,
  ) {
    this.#parentOf = parentOf;
    this.#steps = new Map(steps.map((step) => [keyOf(step.span.traceId, step.span.spanId), step]));
  }

  /** The span of the step around a span; if this export has none, the outermost ancestor whose id is known. */
  around({ traceId, parentSpanId }: Pick<Span, "traceId" | "parentSpanId">): string | undefined {
    return parentSpanId === undefined ? undefined : this.#nearest(traceId, parentSpanId);
  }

  /** The step that made a call with this `traceparent`: the span itself, or the step around an HTTP client's span. */
  maker(traceId: string, parentSpanId: string): Step | undefined {
    const nearest = this.#nearest(traceId, parentSpanId);
    return nearest === undefined ? undefined : this.#steps.get(keyOf(traceId, nearest));
  }

  #nearest(traceId: string, spanId: string): string | undefined {
    let at = spanId;
    for (let hops = 0; hops < HOPS_MAX; hops++) {
      if (this.#steps.has(keyOf(traceId, at))) return at;
      const parent = this.#parentOf(traceId, at);
      if (parent === undefined) return at;
      const [next] = parent;
      if (next === undefined) return undefined; // a root that is not a step
      at = next;
    }
    return undefined;
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;

interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
}

/** The contents of a request's `traceparent` header, by the W3C's Trace Context. */
export function traceParentIn(headers: readonly (readonly [string, string])[]): TraceParent | undefined {
  const value = headers.findLast(([name]) => name.toLowerCase() === "traceparent")?.[1] ?? "";
  const [, traceId, spanId] = TRACEPARENT.exec(value.trim()) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
