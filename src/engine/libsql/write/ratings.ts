import { REVIEWER } from "../../../record/rating-sources.ts";
import type { Statement } from "../../../store/store.ts";
import type { Amendment } from "../../../threads.ts";

/**
 * What is kept of who gave a score and why. A score that reviewers gave is the mean of theirs, whoever sets it otherwise
 * before: the record's score follows the last change.
 */
export function ratingStatements(
  { requestId, organizationId, ratings = {} }: Amendment,
  scores: Readonly<Record<string, number>>,
  now: number,
): Statement[] {
  return Object.entries(ratings).flatMap(([name, { source, author, reason = null, label = null }]) => {
    const value = scores[name];
    if (value === undefined) return [];
    const rating: Statement = {
      sql: `insert or replace into ratings (request_id, name, source, organization_id, author, value, label, reason, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      args: [requestId, name, source, organizationId, author, value, label, reason, now],
    };
    return source.startsWith(REVIEWER) ? [rating, meanOfReviewers(requestId, organizationId, name)] : [rating];
  });
}

/**
 * What takes ratings back. The score is then the mean of the reviewers who are left, else what was given last by others,
 * else none; where there was no such rating it stays as it is.
 */
export function withdrawalStatements({ requestId, organizationId, withdrawn }: Amendment): Statement[] {
  if (withdrawn === undefined) return [];
  const { source, names } = withdrawn;
  return names.flatMap((name) => [
    {
      sql: `update requests set scores = json_patch(scores, json_object(?1, coalesce(
          (select avg(value) from ratings
            where request_id = ?2 and name = ?1 and source glob '${REVIEWER}*' and source <> ?4),
          (select value from ratings where request_id = ?2 and name = ?1 and source <> ?4 order by created_at desc limit 1))))
        where request_id = ?2 and organization_id = ?3
          and exists (select 1 from ratings where request_id = ?2 and name = ?1 and source = ?4)`,
      args: [name, requestId, organizationId, source],
    },
    {
      sql: "delete from ratings where request_id = ? and name = ? and source = ? and organization_id = ?",
      args: [requestId, name, source, organizationId],
    },
  ]);
}

function meanOfReviewers(requestId: string, organizationId: string, name: string): Statement {
  return {
    sql: `update requests set scores = json_patch(scores, json_object(?1, (
        select avg(value) from ratings where request_id = ?2 and name = ?1 and source glob '${REVIEWER}*')))
      where request_id = ?2 and organization_id = ?3`,
    args: [name, requestId, organizationId],
  };
}
