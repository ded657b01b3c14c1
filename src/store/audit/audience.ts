import { and, eq, type SQL, sql } from "drizzle-orm";
import { audit, deliveries, webhooks } from "../../record/tables.ts";
import { type AuditRow, toEntry } from "./entry.ts";

/** The event name that subscribes a webhook to audit log entries. */
export const AUDIT_EVENT = "audit.entry";

/**
 * Enqueues an entry for every webhook of its organization that subscribes to the audit log; entries about the deployment go
 * to webhooks of the first organization. A single statement, in the transaction of the entry.
 */
export function audienceChange(row: AuditRow): SQL {
  const entry = toEntry(row);
  const payload = JSON.stringify({ type: AUDIT_EVENT, timestamp: entry.time, entry });
  return sql`insert into ${deliveries} (id, organization_id, kind, source_id, endpoint_id, subject_id, payload, state, attempts,
      next_attempt_at, created_at)
    select 'msg_' || lower(hex(randomblob(16))), w.organization_id, 'audit', w.id, w.id, ${String(row.seq)},
      json_set(${payload}, '$.webhook_id', w.id), 'pending', 0, ${row.time}, ${row.time}
    from ${webhooks} w
    where w.enabled = 1 and exists (select 1 from json_each(w.events) where value = ${AUDIT_EVENT})
      and w.organization_id = coalesce(${row.organization_id}, (select id from organizations order by created_at, rowid limit 1))
      and exists (select 1 from ${audit} where ${and(eq(audit.seq, row.seq), eq(audit.hash, row.hash))})`;
}
