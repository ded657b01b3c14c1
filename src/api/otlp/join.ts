import type { Span } from "./span.ts";
import type { Step } from "./step.ts";

/** Spans between a step and the step around it that are followed. */
const HOPS_MAX = 64;

/** A span by its name. */
export const keyOf = (traceId: string, spanId: string) => `${traceId}:${spanId}`;

/** Spans that are no steps, and which are remembered for exports that come later. */
const REMEMBERED_MAX = 20_000;

/** By organization, trace and span: the span around a span that is no step. Those of the last exports alone. */
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

  /** @returns undefined for a span that is not known, and a list of its parent, if it has one, for one that is. */
  parentOf(organizationId: string, traceId: string, spanId: string): readonly [string | undefined] | undefined {
    const key = `${organizationId}:${keyOf(traceId, spanId)}`;
    return this.#parents.has(key) ? [this.#parents.get(key)] : undefined;
  }
}

/** Which spans stand within which. Spans that are no steps, such as those of an HTTP client, are skipped. */
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

  /** The span of the step around a span; where none of this request is, the last one that is known by its name. */
  around({ traceId, parentSpanId }: Pick<Span, "traceId" | "parentSpanId">): string | undefined {
    return parentSpanId === undefined ? undefined : this.#nearest(traceId, parentSpanId);
  }

  /** The step that made a call with this `traceparent`: itself, or an HTTP client's span within it. */
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
      if (next === undefined) return undefined; // a root that is no step
      at = next;
    }
    return undefined;
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
}

/** What a request's `traceparent` header says, as the W3C's Trace Context has it. */
export function traceParentIn(headers: readonly (readonly [string, string])[]): TraceParent | undefined {
  const value = headers.findLast(([name]) => name.toLowerCase() === "traceparent")?.[1] ?? "";
  const [, traceId, spanId] = TRACEPARENT.exec(value.trim()) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
