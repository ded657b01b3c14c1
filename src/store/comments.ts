import { patiently } from "./database/patiently.ts";
import type { Database } from "./store.ts";

export interface Comment {
  readonly request_id: string;
  readonly id: string;
  readonly organization_id: string;
  /** Whose it is: `key:<id>`. */
  readonly author_id: string;
  readonly author_name: string;
  readonly text: string;
  readonly created_at: number;
}

/** Comments that one request has at most. */
export const COMMENTS_MAX = 1_000;

const COLUMNS = ["request_id", "id", "organization_id", "author_id", "author_name", "text", "created_at"] as const;

/** Those of one request, the oldest first. */
export async function listComments(
  records: Database,
  organizationId: string,
  requestId: string,
): Promise<readonly Comment[]> {
  const sql = `select ${COLUMNS.join(", ")} from comments where request_id = ? and organization_id = ? order by id`;
  return records.query<Comment>({ sql, args: [requestId, organizationId] });
}

/** @returns whether there was room for it, and its request is still there. */
export async function addComment(records: Database, comment: Comment): Promise<boolean> {
  const sql = `insert into comments (${COLUMNS.join(", ")}) select ${COLUMNS.map(() => "?").join(", ")}
    where (select count(*) from comments where request_id = ?) < ${COMMENTS_MAX}
      and exists (select 1 from requests where request_id = ?)`;
  const { request_id: of } = comment;
  await patiently(() => records.batch([{ sql, args: [...COLUMNS.map((name) => comment[name]), of, of] }]));
  const written = "select 1 from comments where request_id = ? and id = ?";
  return (await records.query({ sql: written, args: [of, comment.id] })).length > 0;
}

export async function removeComment(records: Database, { request_id, id }: Comment): Promise<void> {
  const sql = "delete from comments where request_id = ? and id = ?";
  await patiently(() => records.batch([{ sql, args: [request_id, id] }]));
}
