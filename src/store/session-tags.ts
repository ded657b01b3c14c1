import { and, eq } from "drizzle-orm";
import { sessionTags } from "../record/tables.ts";
import { over } from "./database/builder.ts";
import { patiently } from "./database/while-locked.ts";
import type { Database } from "./store.ts";

export async function sessionTag(records: Database, organizationId: string, sessionId: string): Promise<string | null> {
  const row = await over(records).select().from(sessionTags).where(of(organizationId, sessionId)).get();
  return row?.tag ?? null;
}

/** Sets the tag of a session; null removes it. */
export async function setSessionTag(
  records: Database,
  organizationId: string,
  sessionId: string,
  tag: string | null,
): Promise<void> {
  const db = over(records);
  if (tag === null) {
    await patiently(() => db.delete(sessionTags).where(of(organizationId, sessionId)));
    return;
  }
  const { organization_id, session_id } = sessionTags;
  const set = { tag, updated_at: Date.now() };
  const row = { organization_id: organizationId, session_id: sessionId, ...set };
  await patiently(() =>
    db
      .insert(sessionTags)
      .values(row)
      .onConflictDoUpdate({ target: [organization_id, session_id], set }),
  );
}

const of = (organizationId: string, sessionId: string) =>
  and(eq(sessionTags.organization_id, organizationId), eq(sessionTags.session_id, sessionId));
