import { patiently } from "./database/while-locked.ts";
import type { Database } from "./store.ts";

/** The place of a request in a trace. */
export interface SpanLink {
  readonly request_id: string;
  readonly organization_id: string;
  readonly trace_id: string;
  /** Null for a gateway call whose own span has not arrived: only its `traceparent` is known. */
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: string;
}

const COLUMNS = ["request_id", "organization_id", "trace_id", "span_id", "parent_span_id", "name", "kind"] as const;

/** Stores links, replacing existing ones. */
export async function linkSpans(records: Database, links: readonly SpanLink[]): Promise<void> {
  if (links.length === 0) return;
  const sql = `insert or replace into spans (${COLUMNS.join(", ")})
    select ${COLUMNS.map((_, at) => `value ->> ${at}`).join(", ")} from json_each(?)`;
  const rows = JSON.stringify(links.map((link) => COLUMNS.map((name) => link[name])));
  await patiently(() => records.batch([{ sql, args: [rows] }]));
}

/** Links of these requests; requests without a span are left out. */
export function linksOf(records: Database, requestIds: readonly string[]): Promise<readonly SpanLink[]> {
  const sql = `select ${COLUMNS.join(", ")} from spans where request_id in (select value from json_each(?))`;
  return records.query({ sql, args: [JSON.stringify(requestIds)] });
}

/** Links of the requests of some traces. */
export function linksOfTraces(
  records: Database,
  organizationId: string,
  traceIds: readonly string[],
): Promise<readonly SpanLink[]> {
  const sql = `select ${COLUMNS.join(", ")} from spans
    where organization_id = ? and trace_id in (select value from json_each(?))`;
  return records.query({ sql, args: [organizationId, JSON.stringify(traceIds)] });
}
