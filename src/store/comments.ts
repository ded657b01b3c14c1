import { and, eq, sql } from "drizzle-orm";
import { comments } from "../record/tables.ts";
import { over, statementOf } from "./database/builder.ts";
import { patiently } from "./database/while-locked.ts";
import type { Database } from "./store.ts";

export type Comment = typeof comments.$inferSelect;

/** Maximum number of comments on one request. */
export const COMMENTS_MAX = 1_000;

/** Comments on one request, oldest first. */
export async function listComments(
  records: Database,
  organizationId: string,
  requestId: string,
): Promise<readonly Comment[]> {
  return over(records)
    .select()
    .from(comments)
    .where(and(eq(comments.request_id, requestId), eq(comments.organization_id, organizationId)))
    .orderBy(comments.id);
}

/** @returns false when the request has the maximum number of comments. The request itself may be in another database. */
export async function addComment(records: Database, comment: Comment): Promise<boolean> {
  const { request_id: of, id, organization_id, author_id, author_name, text, created_at } = comment;
  const insert = sql`insert into ${comments} (request_id, id, organization_id, author_id, author_name, text, created_at)
    select ${of}, ${id}, ${organization_id}, ${author_id}, ${author_name}, ${text}, ${created_at}
    where (select count(*) from ${comments} where ${eq(comments.request_id, of)}) < ${COMMENTS_MAX}`;
  await patiently(() => records.batch([statementOf(insert)]));
  return (await over(records).$count(comments, is(comment))) > 0;
}

export async function removeComment(records: Database, comment: Comment): Promise<void> {
  await patiently(() => over(records).delete(comments).where(is(comment)));
}

const is = ({ request_id, id }: Comment) => and(eq(comments.request_id, request_id), eq(comments.id, id));
