import type { Statement } from "../store.ts";
import { type AuditRow, toEntry } from "./entry.ts";

/** The event that a webhook names to be sent entries of the audit log. */
export const AUDIT_EVENT = "audit.entry";

/**
 * Puts an entry into the queue of every webhook of its organization that wants to be sent it; what concerns the deployment
 * goes to those of the first organization. One statement, in the transaction of the entry.
 */
export function audienceStatement(row: AuditRow): Statement {
  const entry = toEntry(row);
  const payload = JSON.stringify({ type: AUDIT_EVENT, timestamp: entry.time, entry });
  const sql = `insert into deliveries (id, organization_id, kind, source_id, endpoint_id, subject_id, payload, state, attempts,
      next_attempt_at, created_at)
    select 'msg_' || lower(hex(randomblob(16))), w.organization_id, 'audit', w.id, w.id, ?1, json_set(?2, '$.webhook_id', w.id), 'pending', 0, ?3, ?3
    from webhooks w
    where w.enabled = 1 and exists (select 1 from json_each(w.events) where value = '${AUDIT_EVENT}')
      and w.organization_id = coalesce(?4, (select id from organizations order by created_at, rowid limit 1))
      and exists (select 1 from audit where seq = ?5 and hash = ?6)`;
  return { sql, args: [String(row.seq), payload, row.time, row.organization_id, row.seq, row.hash] };
}
