import { patiently } from "./database/patiently.ts";
import type { Database } from "./store.ts";

/** Whether any request is of this session. */
export async function isSession(records: Database, organizationId: string, sessionId: string): Promise<boolean> {
  const sql = "select 1 from requests where organization_id = ? and session_id = ? limit 1";
  return (await records.query({ sql, args: [organizationId, sessionId] })).length > 0;
}

export async function sessionTag(records: Database, organizationId: string, sessionId: string): Promise<string | null> {
  const sql = "select tag from session_tags where organization_id = ? and session_id = ?";
  const [row] = await records.query<{ tag: string }>({ sql, args: [organizationId, sessionId] });
  return row?.tag ?? null;
}

/** Tags a session, or takes its tag away where `tag` is null. */
export async function setSessionTag(
  records: Database,
  organizationId: string,
  sessionId: string,
  tag: string | null,
): Promise<void> {
  const removal = {
    sql: "delete from session_tags where organization_id = ? and session_id = ?",
    args: [organizationId, sessionId],
  };
  const insertion = {
    sql: "insert into session_tags (organization_id, session_id, tag, updated_at) values (?, ?, ?, ?)",
    args: [organizationId, sessionId, tag, Date.now()],
  };
  await patiently(() => records.batch(tag === null ? [removal] : [removal, insertion]));
}
