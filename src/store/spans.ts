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

/** Notes links; one that is there is replaced. */
export async function linkSpans(records: Database, links: readonly SpanLink[]): Promise<void> {
  if (links.length === 0) return;
  const sql = `insert or replace into spans (${COLUMNS.join(", ")})
    select ${COLUMNS.map((_, at) => `value ->> ${at}`).join(", ")} from json_each(?)`;
  const rows = JSON.stringify(links.map((link) => COLUMNS.map((name) => link[name])));
  await patiently(() => records.batch([{ sql, args: [rows] }]));
}

/** Links of some requests; those of no span are missing. */
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
