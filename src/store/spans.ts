import { patiently } from "./database/patiently.ts";
import type { Database } from "./store.ts";

/** Where a request stands in a trace. */
export interface SpanLink {
  readonly request_id: string;
  readonly organization_id: string;
  readonly trace_id: string;
  /** Null of a call of the gateway whose own span has not come: it is known by its `traceparent` alone. */
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: string;
}

const COLUMNS = ["request_id", "organization_id", "trace_id", "span_id", "parent_span_id", "name", "kind"] as const;
const SHOWN = ["request_id", "trace_id", "span_id", "parent_span_id", "name", "kind"] as const;

/** Notes links; one that is there is replaced. */
export async function linkSpans(records: Database, links: readonly SpanLink[]): Promise<void> {
  if (links.length === 0) return;
  const sql = `insert or replace into spans (${COLUMNS.join(", ")})
    select ${COLUMNS.map((_, at) => `value ->> ${at}`).join(", ")} from json_each(?)`;
  const rows = JSON.stringify(links.map((link) => COLUMNS.map((name) => link[name])));
  await patiently(() => records.batch([{ sql, args: [rows] }]));
}

/** Those of a session, as far as they are shown. */
export async function linksOfSession(
  records: Database,
  organizationId: string,
  sessionId: string,
  limit: number,
): Promise<readonly Omit<SpanLink, "organization_id">[]> {
  const sql = `select ${SHOWN.map((name) => `s.${name}`).join(", ")} from requests r join spans s on s.request_id = r.request_id
    where r.organization_id = ? and r.session_id = ? order by r.request_created_at limit ?`;
  return records.query({ sql, args: [organizationId, sessionId, limit] });
}

/** Those of `requestIds` that the organization has. */
export async function requestsOf(
  records: Database,
  organizationId: string,
  requestIds: readonly string[],
): Promise<readonly { readonly request_id: string; readonly session_id: string | null }[]> {
  // The plus keeps SQLite from going through all of the organization's records for a few ids.
  const sql = `select request_id, session_id from requests
    where request_id in (select value from json_each(?)) and +organization_id = ?`;
  return records.query({ sql, args: [JSON.stringify(requestIds), organizationId] });
}

interface Between {
  readonly from: number;
  readonly to: number;
}

/** Requests of the gateway that have one of these response ids and were made between two moments. */
export async function requestsByResponse(
  records: Database,
  organizationId: string,
  responseIds: readonly string[],
  { from, to }: Between,
): Promise<
  readonly { readonly request_id: string; readonly response_id: string; readonly session_id: string | null }[]
> {
  const sql = `select r.request_id, r.response_id, r.session_id from requests r
    where r.organization_id = ? and r.request_created_at between ? and ? and r.response_id in (select value from json_each(?))
      and coalesce(r.request_path, (select k.request_path from kinds k where k.id = r.kind), '') not like '/v1/traces%'
    limit 10000`;
  return records.query({ sql, args: [organizationId, from, to, JSON.stringify(responseIds)] });
}

/** Requests of sessions that have no span of their own yet, the newest first; with what is known of their place. */
export async function withoutSpan(
  records: Database,
  organizationId: string,
  sessionIds: readonly string[],
  { from, to, limit }: Between & { readonly limit: number },
): Promise<
  readonly { readonly request_id: string; readonly trace_id: string | null; readonly parent_span_id: string | null }[]
> {
  const sql = `select r.request_id, s.trace_id, s.parent_span_id from requests r left join spans s on s.request_id = r.request_id
    where r.organization_id = ? and r.session_id in (select value from json_each(?))
      and r.request_created_at between ? and ? and s.span_id is null
    order by r.request_created_at desc limit ?`;
  return records.query({ sql, args: [organizationId, JSON.stringify(sessionIds), from, to, limit] });
}

/** Spans of these traces that have a record, as `trace:span`. */
export async function recordedSpans(
  records: Database,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const sql = `select s.trace_id || ':' || s.span_id as span from spans s join requests r on r.request_id = s.request_id
    where s.organization_id = ? and s.trace_id in (select value from json_each(?)) and s.span_id is not null`;
  const rows = await records.query<{ span: string }>({ sql, args: [organizationId, JSON.stringify(traceIds)] });
  return new Set(rows.map(({ span }) => span));
}

/** Sessions of traces that are known. */
export async function sessionsOfTraces(
  records: Database,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `select s.trace_id, min(r.session_id) as session_id from spans s join requests r on r.request_id = s.request_id
    where s.organization_id = ? and s.trace_id in (select value from json_each(?)) and r.session_id <> s.trace_id
    group by s.trace_id`;
  const rows = await records.query<{ trace_id: string; session_id: string }>({
    sql,
    args: [organizationId, JSON.stringify(traceIds)],
  });
  return new Map(rows.map(({ trace_id, session_id }) => [trace_id, session_id]));
}

/** Requests of a trace that are in no session, or in one that is named after the trace and is not its own. */
export async function withoutSession(
  records: Database,
  organizationId: string,
  { traceId, sessionId }: { readonly traceId: string; readonly sessionId: string },
): Promise<readonly { readonly seq: number; readonly request_id: string }[]> {
  const sql = `select r.seq, r.request_id from spans s join requests r on r.request_id = s.request_id
    where s.organization_id = ? and s.trace_id = ? and (r.session_id is null or (r.session_id = s.trace_id and r.session_id <> ?))
      and r.response_status is not null limit 10000`;
  return records.query({ sql, args: [organizationId, traceId, sessionId] });
}
