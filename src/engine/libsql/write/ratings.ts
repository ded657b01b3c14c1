import { meanSql } from "../../../filter/mean.ts";
import { REVIEWER } from "../../../record/rating-sources.ts";
import { putRatings, takeBackRatings } from "../../../store/ratings.ts";
import type { Statement } from "../../../store/store.ts";
import type { RecordUpdate } from "../../../threads.ts";

/**
 * Statements that store who gave a score and why. The score of several reviewers is the mean of theirs. Other sources may set
 * it too: the record's score follows the last change.
 */
export function ratingStatements(
  change: RecordUpdate,
  scores: Readonly<Record<string, number>>,
  now: number,
): Statement[] {
  return putRatings(change, scores, now).flatMap(({ name, isOfReviewer, ...rating }) =>
    isOfReviewer ? [rating, meanOfReviewers(change.requestId, change.organizationId, name)] : [rating],
  );
}

/**
 * Statements that withdraw ratings. The score then becomes the mean of the remaining reviewers, otherwise the last rating by
 * others, otherwise none; if there was no such rating, it stays as it is.
 */
export function withdrawalStatements(change: RecordUpdate): Statement[] {
  const { requestId, organizationId, withdrawn } = change;
  if (withdrawn === undefined) return [];
  const { source, names } = withdrawn;
  const scores = names.map(
    (name): Statement => ({
      sql: `update requests set scores = json_patch(scores, json_object(?1, coalesce(
          (select ${meanSql("value")} from ratings
            where request_id = ?2 and name = ?1 and source glob '${REVIEWER}*' and source <> ?4),
          (select value from ratings where request_id = ?2 and name = ?1 and source <> ?4 order by created_at desc limit 1))))
        where request_id = ?2 and organization_id = ?3
          and exists (select 1 from ratings where request_id = ?2 and name = ?1 and source = ?4)`,
      args: [name, requestId, organizationId, source],
    }),
  );
  return [...scores, ...takeBackRatings(change)];
}

function meanOfReviewers(requestId: string, organizationId: string, name: string): Statement {
  return {
    sql: `update requests set scores = json_patch(scores, json_object(?1, (
        select ${meanSql("value")} from ratings where request_id = ?2 and name = ?1 and source glob '${REVIEWER}*')))
      where request_id = ?2 and organization_id = ?3`,
    args: [name, requestId, organizationId],
  };
}
