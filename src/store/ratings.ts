import type { Database } from "./store.ts";

/** One score of a record as one source gave it. */
export interface Rating {
  readonly name: string;
  /** `key:<id>`, `user:<id>`, `plugin:<name>`, `judge:<id>` or `reviewer:<id>`. */
  readonly source: string;
  readonly author: string;
  readonly value: number;
  readonly label: string | null;
  readonly reason: string | null;
  readonly created_at: number;
}

/** Those of one request, by name, then in the order in which they were given. */
export async function listRatings(
  records: Database,
  organizationId: string,
  requestId: string,
): Promise<readonly Rating[]> {
  const sql = `select name, source, author, value, label, reason, created_at from ratings
    where request_id = ? and organization_id = ? order by name, created_at, source`;
  return records.query<Rating>({ sql, args: [requestId, organizationId] });
}
