import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../errors.ts";
import type { KeySnapshot } from "../../keys.ts";
import { headerPairs } from "../../store/bodies/body-text.ts";
import { linkSpans, type SpanLink } from "../../store/spans.ts";
import type { ApiContext } from "../context.ts";
import { keyOf, type PassedOver, SpanTree, traceParentIn } from "./join.ts";
import type { Span } from "./span.ts";
import { type Step, stepOf } from "./step.ts";
import { recordIdOf, toExchange } from "./to-exchange.ts";
import { TracedRequests } from "./traced-requests.ts";

/** Requests of the gateway whose `traceparent` header is read, per export. */
const LOOKED_AT_MAX = 200;
/** Clock skew: how far a gateway request may lie outside its span. */
const CLOCK_MS = 5_000;
const NAME_CHARS_MAX = 300;
/** How long after its end a call is processed. */
const FRESH_MS = 500;

/**
 * Turns spans into records, or finds the gateway's records of the same calls.
 *
 * The place of each request in its trace is stored first, then each span goes to the spool: a client without a response
 * sends everything again, and nothing is duplicated.
 *
 * @throws GatewayError `spool_full` if nothing can be recorded now.
 */
export async function ingest(
  context: ApiContext,
  spans: readonly Span[],
  key: KeySnapshot,
  passedOver: PassedOver,
): Promise<void> {
  const { organizationId } = key;
  const steps: Step[] = [];
  const others: Span[] = [];
  for (const span of spans) {
    const step = stepOf(span);
    if (step === undefined) others.push(span);
    else steps.push(step);
  }
  passedOver.note(organizationId, others);
  if (steps.length === 0) return;
  // Earlier traffic is then in the database: the same span of an earlier export, and the gateway's own calls.
  await context.recorder.barrier();
  const tree = new SpanTree(steps, (traceId, spanId) => passedOver.parentOf(organizationId, traceId, spanId));
  const made = await new Joiner(context, organizationId, tree).join(steps);
  await linkSpans((await context.writer()).records, made.links);
  for (const [traceId, sessionId] of made.sessions) await moveToSession(context, organizationId, traceId, sessionId);
  for (const { step, sessionId } of made.recorded) {
    if (!(await context.gateway.record(toExchange(step, key, sessionId))))
      throw new GatewayError("spool_full", "nothing can be recorded now");
  }
}

/**
 * The gateway records the end of a call after the response has left, so a client may report the call slightly earlier: a
 * span that has just ended is processed a little later.
 */
export async function aged(spans: readonly Span[]): Promise<void> {
  const now = Date.now();
  if (spans.some((span) => Math.abs(now - span.endedAt) < FRESH_MS && isOfCall(span))) await sleep(FRESH_MS);
}

const isOfCall = (span: Span) => {
  const step = stepOf(span);
  return step !== undefined && isCall(step);
};

/** Moves records of a trace that arrived before its session was known. */
async function moveToSession(
  context: ApiContext,
  organizationId: string,
  traceId: string,
  sessionId: string,
): Promise<void> {
  const ids = await new TracedRequests(context, organizationId).withoutSession(traceId, sessionId);
  if (ids.length === 0) return;
  const columns = { session_id: sessionId };
  await context.recorder.rewrite(ids.map((requestId) => ({ requestId, columns })));
}

interface Made {
  /** By trace. */
  readonly sessions: ReadonlyMap<string, string>;
  readonly links: readonly SpanLink[];
  /** Steps that have no record yet. */
  readonly recorded: readonly { readonly step: Step; readonly sessionId: string }[];
}

const isCall = ({ kind }: Step) => kind === "llm" || kind === "embedding";

/** Finds the record of each step in one export. */
class Joiner {
  readonly #context: ApiContext;
  readonly #organizationId: string;
  readonly #tree: SpanTree;
  readonly #requests: TracedRequests;
  /** Records of the gateway, by step. */
  readonly #joined = new Map<Step, string>();
  readonly #links = new Map<string, SpanLink>();
  /** By trace. */
  readonly #sessions = new Map<string, string>();

  constructor(context: ApiContext, organizationId: string, tree: SpanTree) {
    this.#context = context;
    this.#organizationId = organizationId;
    this.#tree = tree;
    this.#requests = new TracedRequests(context, organizationId);
  }

  async join(steps: readonly Step[]): Promise<Made> {
    const ids = new Map(steps.map((step) => [step, recordIdOf(this.#organizationId, step)]));
    const traceIds = [...new Set(steps.map(({ span }) => span.traceId))];
    const recordedBefore = await this.#requests.recordedSpans(traceIds);
    const added = steps.filter(({ span }) => !recordedBefore.has(keyOf(span.traceId, span.spanId)));
    const named = added.flatMap(({ recordId }) => recordId ?? []);
    const there = await this.#requests.among(named);
    const known = new Map(there.map(({ request_id, session_id }) => [request_id, session_id]));
    for (const step of added) {
      if (step.recordId !== undefined && known.has(step.recordId))
        this.#joins(step, step.recordId, known.get(step.recordId)!);
    }
    await this.#joinByResponse(added);
    await this.#learnSessions(steps);
    await this.#joinByTraceParent(added);
    for (const step of added) this.#link(step, this.#joined.get(step) ?? ids.get(step)!);
    const recorded = [...new Map(added.map((step) => [ids.get(step), step])).values()]
      .filter((step) => !this.#joined.has(step))
      .map((step) => ({ step, sessionId: this.#sessionOf(step) }));
    const traces = [...new Set(added.map(({ span }) => span.traceId))];
    // A call that the gateway recorded without a session belongs to its trace's session.
    const sessions = new Map(traces.map((trace) => [trace, this.#sessions.get(trace) ?? trace]));
    return { links: [...this.#links.values()], recorded, sessions };
  }

  async #joinByResponse(steps: readonly Step[]): Promise<void> {
    const calls = steps.filter((step) => isCall(step) && step.responseId !== undefined && !this.#joined.has(step));
    if (calls.length === 0) return;
    const responseIds = calls.map(({ responseId }) => responseId!);
    const found = await this.#requests.byResponse(responseIds, timesOf(calls));
    const byResponse = Map.groupBy(found, (row) => row.response_id);
    for (const step of calls) {
      // Real providers' ids are unique; if several records share one, `traceparent` decides.
      const [row, ...others] = byResponse.get(step.responseId!) ?? [];
      if (row !== undefined && others.length === 0) this.#joins(step, row.request_id, row.session_id);
    }
  }

  /** For the gateway's calls in these sessions: their own or their enclosing span. */
  async #joinByTraceParent(steps: readonly Step[]): Promise<void> {
    if (steps.length === 0) return;
    const sessions = [...new Set(steps.map((step) => this.#sessionOf(step)))];
    const rows = await this.#requests.withoutSpan(sessions, { ...timesOf(steps), limit: LOOKED_AT_MAX });
    const unknown = rows.filter(({ link }) => link === undefined).map(({ request_id }) => request_id);
    const headers = await this.#context.current.content.get(unknown, ["headers"]);
    const taken = new Set(this.#joined.values());
    for (const { request_id, link } of rows) {
      const parent =
        link === undefined
          ? traceParentIn(headerPairs(headers.get(request_id)?.headers, "request") ?? [])
          : { traceId: link.trace_id, spanId: link.parent_span_id ?? "" };
      if (parent === undefined || taken.has(request_id)) continue;
      const maker = this.#tree.maker(parent.traceId, parent.spanId);
      if (maker !== undefined && isCall(maker) && !this.#joined.has(maker)) this.#joined.set(maker, request_id);
      else this.#place(request_id, parent.traceId, maker?.span.spanId ?? parent.spanId);
    }
  }

  #joins(step: Step, requestId: string, sessionId: string | null): void {
    this.#joined.set(step, requestId);
    if (sessionId !== null) this.#sessions.set(step.span.traceId, sessionId);
  }

  async #learnSessions(steps: readonly Step[]): Promise<void> {
    const traces = [...new Set(steps.map(({ span }) => span.traceId))];
    const known = await this.#requests.sessionsOf(traces);
    for (const { span, sessionId } of steps) if (sessionId !== undefined) this.#sessions.set(span.traceId, sessionId);
    for (const [trace, session] of known) if (!this.#sessions.has(trace)) this.#sessions.set(trace, session);
  }

  /** A trace without a session id is its own session. */
  #sessionOf({ span, sessionId }: Step): string {
    return sessionId ?? this.#sessions.get(span.traceId) ?? span.traceId;
  }

  #link(step: Step, requestId: string): void {
    const { span, kind } = step;
    this.#links.set(requestId, {
      request_id: requestId,
      organization_id: this.#organizationId,
      trace_id: span.traceId,
      span_id: span.spanId,
      parent_span_id: this.#tree.around(span) ?? null,
      name: span.name.slice(0, NAME_CHARS_MAX).toWellFormed(),
      kind,
    });
  }

  #place(requestId: string, traceId: string, parentSpanId: string): void {
    const link = { request_id: requestId, organization_id: this.#organizationId, trace_id: traceId, span_id: null };
    this.#links.set(requestId, { ...link, parent_span_id: parentSpanId, name: "", kind: "llm" });
  }
}

function timesOf(steps: readonly Step[]) {
  const from = Math.min(...steps.map(({ span }) => span.startedAt)) - CLOCK_MS;
  return { from, to: Math.max(...steps.map(({ span }) => span.endedAt)) + CLOCK_MS };
}
