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

export function meanOfReviewers(requestId: string, organizationId: string, name: string): Statement {
  return {
    sql: `update requests set scores = json_patch(scores, json_object(?1, (
        select avg(value) from ratings where request_id = ?2 and name = ?1 and source glob '${REVIEWER}*')))
      where request_id = ?2 and organization_id = ?3`,
    args: [name, requestId, organizationId],
  };
}
