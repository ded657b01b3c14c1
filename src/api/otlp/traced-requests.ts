import { engineReader } from "../../engine/reader.ts";
import { keysOf, type RecordSource } from "../../engine/record-source.ts";
import { NEWEST_FIRST } from "../../filter/sort.ts";
import { both, type FilterTree, isAmong, onColumn } from "../../filter/tree.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { linksOf, linksOfTraces, type SpanLink } from "../../store/spans.ts";
import type { ApiContext } from "../context.ts";
import { keyOf } from "./join.ts";

/** Requests in one query, at most. */
const REQUESTS_MAX = 10_000;
/** Requests whose links are read together. */
const STEP = 500;
const TRACES_PATH = "/v1/traces";

interface Between {
  /** Milliseconds since 1970, both included. */
  readonly from: number;
  readonly to: number;
}

type Row = Pick<RequestRow, "request_id" | "session_id" | "response_id" | "request_path" | "response_status">;
const COLUMNS = ["request_id", "session_id", "response_id", "request_path", "response_status"] as const;

/** Requests of an organization and their places in traces: the engine has the records, libSQL the links. */
export class TracedRequests {
  readonly #context: ApiContext;
  readonly #organizationId: string;
  readonly #source: RecordSource;

  constructor(context: ApiContext, organizationId: string) {
    this.#context = context;
    this.#organizationId = organizationId;
    this.#source = engineReader(context.current, context.config).source;
  }

  /** Those of `requestIds` that belong to the organization. */
  async among(requestIds: readonly string[]): Promise<readonly Row[]> {
    if (requestIds.length === 0) return [];
    return this.#source.columns(this.#organizationId, keysOf([...new Set(requestIds)]), COLUMNS);
  }

  /** The gateway's newest requests with one of these response ids, made in the given period. */
  async byResponse(responseIds: readonly string[], between: Between): Promise<readonly Row[]> {
    const tree = both(isAmong("response_id", responseIds), madeIn(between));
    const { value: rows = [] } = await this.#newest(tree, REQUESTS_MAX).next();
    return rows.filter(({ request_path }) => request_path?.startsWith(TRACES_PATH) !== true);
  }

  /** The newest requests of sessions that have no span of their own yet, with what is known about their place. */
  async withoutSpan(sessionIds: readonly string[], { limit, ...between }: Between & { readonly limit: number }) {
    const found: { readonly request_id: string; readonly link: SpanLink | undefined }[] = [];
    const tree = both(isAmong("session_id", sessionIds), madeIn(between));
    for await (const rows of this.#newest(tree, STEP)) {
      const ids = rows.map(({ request_id }) => request_id);
      const links = new Map((await linksOf(this.#records, ids)).map((link) => [link.request_id, link]));
      const open = ids.filter((id) => (links.get(id)?.span_id ?? null) === null);
      found.push(...open.map((request_id) => ({ request_id, link: links.get(request_id) })));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /** The keys of spans of these traces that have a record. */
  async recordedSpans(traceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const links = await linksOfTraces(this.#records, this.#organizationId, traceIds);
    const there = new Set((await this.among(links.map(({ request_id }) => request_id))).map((row) => row.request_id));
    return new Set(
      links.flatMap(({ request_id, trace_id, span_id }) =>
        span_id !== null && there.has(request_id) ? keyOf(trace_id, span_id) : [],
      ),
    );
  }

  /** The known session of each trace, the first by name if there are several; a session named after its trace does not count. */
  async sessionsOf(traceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const links = await linksOfTraces(this.#records, this.#organizationId, traceIds);
    const traces = new Map(links.map(({ request_id, trace_id }) => [request_id, trace_id]));
    const sessions = new Map<string, string>();
    for (const { request_id, session_id } of await this.among([...traces.keys()])) {
      const trace = traces.get(request_id)!;
      if (session_id === null || session_id === trace) continue;
      const known = sessions.get(trace);
      if (known === undefined || session_id < known) sessions.set(trace, session_id);
    }
    return sessions;
  }

  /** Finished requests of a trace that are in no session, or in one that is named after the trace instead of its own. */
  async withoutSession(traceId: string, sessionId: string): Promise<readonly string[]> {
    const links = await linksOfTraces(this.#records, this.#organizationId, [traceId]);
    const rows = await this.among(links.map(({ request_id }) => request_id));
    const moved = rows.filter(
      ({ session_id, response_status }) =>
        response_status !== null && (session_id === null || (session_id === traceId && session_id !== sessionId)),
    );
    return moved.slice(0, REQUESTS_MAX).map(({ request_id }) => request_id);
  }

  get #records() {
    return this.#context.current.records;
  }

  /** In batches of `limit`, newest first. */
  async *#newest(tree: FilterTree, limit: number): AsyncGenerator<readonly Row[], undefined> {
    const scope = { organizationId: this.#organizationId, tree };
    const deadline = new Deadline(this.#context.config.query_timeout_seconds * 1_000);
    for (let after: Awaited<ReturnType<RecordSource["page"]>>["next"]; ; ) {
      const { keys, next } = await this.#source.page(scope, { sort: NEWEST_FIRST, limit, offset: 0, after, deadline });
      if (keys.length > 0) yield await this.#source.columns(this.#organizationId, keys, COLUMNS);
      after = next;
      if (after === undefined) return;
    }
  }
}

/** Links of a session's requests, oldest first, up to the number that is shown. */
export async function linksOfSession(
  { engine, reader }: Pick<ApiContext, "engine" | "reader">,
  query: { readonly organizationId: string; readonly sessionId: string; readonly limit: number },
): Promise<readonly Omit<SpanLink, "organization_id">[]> {
  const ids = (await engine.source.ofSession(query)).map(({ requestId }) => requestId);
  const at = new Map(ids.map((id, index) => [id, index]));
  const links = await linksOf(reader.records, ids);
  return links
    .map(({ organization_id: _, ...link }) => link)
    .sort((one, other) => at.get(one.request_id)! - at.get(other.request_id)!);
}

function madeIn({ from, to }: Between): FilterTree {
  const terms = [
    onColumn("request_created_at", "timestamp", "gte", from),
    onColumn("request_created_at", "timestamp", "lte", to),
  ];
  return { kind: "and", terms };
}
