import { and, eq, getTableColumns } from "drizzle-orm";
import { meanSql } from "../filter/mean.ts";
import { REVIEWER } from "../record/rating-sources.ts";
import { ratings } from "../record/tables.ts";
import type { RecordUpdate } from "../threads.ts";
import { over } from "./database/builder.ts";
import type { Database, Statement } from "./store.ts";

/** One score of a record, as given by one source. */
export type Rating = Omit<typeof ratings.$inferSelect, "request_id" | "organization_id">;

/** Ratings of one request, by name, then oldest first. */
export async function listRatings(
  records: Database,
  organizationId: string,
  requestId: string,
): Promise<readonly Rating[]> {
  const { request_id, organization_id, ...shown } = getTableColumns(ratings);
  return over(records)
    .select(shown)
    .from(ratings)
    .where(and(eq(request_id, requestId), eq(organization_id, organizationId)))
    .orderBy(shown.name, shown.created_at, shown.source);
}

/** Statements that store these scores with source, author and reason. */
export function putRatings(
  { requestId, organizationId, ratings: given = {} }: RecordUpdate,
  scores: Readonly<Record<string, number>>,
  now: number,
): (Statement & { readonly name: string; readonly isOfReviewer: boolean })[] {
  return Object.entries(given).flatMap(([name, { source, author, reason = null, label = null }]) => {
    const value = scores[name];
    if (value === undefined) return [];
    return {
      name,
      isOfReviewer: source.startsWith(REVIEWER),
      sql: `insert or replace into ratings (request_id, name, source, organization_id, author, value, label, reason, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      args: [requestId, name, source, organizationId, author, value, label, reason, now],
    };
  });
}

/** Statements that delete ratings. */
export function takeBackRatings({ requestId, organizationId, withdrawn }: RecordUpdate): Statement[] {
  return (withdrawn?.names ?? []).map((name) => ({
    sql: "delete from ratings where request_id = ? and name = ? and source = ? and organization_id = ?",
    args: [requestId, name, withdrawn!.source, organizationId],
  }));
}

/** The score that ratings yield: the mean of the reviewers' ratings, otherwise the last one; null when there are none. */
export async function scoreOfRatings(
  records: Database,
  {
    requestId,
    organizationId,
    name,
  }: { readonly requestId: string; readonly organizationId: string; readonly name: string },
): Promise<number | null> {
  const [row] = await records.query<{ score: number | null }>({
    sql: `select coalesce(
        (select ${meanSql("value")} from ratings where request_id = ?1 and organization_id = ?2 and name = ?3
          and source glob '${REVIEWER}*'),
        (select value from ratings where request_id = ?1 and organization_id = ?2 and name = ?3
          order by created_at desc limit 1)) as score`,
    args: [requestId, organizationId, name],
  });
  return row?.score ?? null;
}

/** Which of the withdrawn names the source has rated. */
export async function ratedBy(records: Database, change: RecordUpdate): Promise<readonly string[]> {
  if (change.withdrawn === undefined) return [];
  const { source, names } = change.withdrawn;
  const rows = await records.query<{ name: string }>({
    sql: `select name from ratings where request_id = ? and organization_id = ? and source = ?
      and name in (select value from json_each(?))`,
    args: [change.requestId, change.organizationId, source, JSON.stringify(names)],
  });
  return rows.map(({ name }) => name);
}
