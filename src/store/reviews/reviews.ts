import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Acting } from "../../people/actor.ts";
import { reviewAnswers, reviewItems, reviews } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database, Statement } from "../store.ts";
import type { ReviewBody, ReviewRule } from "./review-rule.ts";

export interface Review extends ReviewRule, StoredRule {}

/** Maximum per organization. */
const REVIEWS_MAX = 200;

const REVIEWS = ruleTable<Review>(reviews, {
  max: REVIEWS_MAX,
  noted: { noun: "review", nameOf: ({ name }) => name, shown: bodyOfReview },
});

export const { list: listReviews, find: findReview } = REVIEWS;

/** The request body that would create this review. */
export function bodyOfReview({ name, scores, sequence, reviewers }: ReviewRule): Required<ReviewBody> {
  return { name, scores: [...scores], order: sequence, reviewers };
}

export async function putReview(
  records: Database,
  { organizationId, by, previous }: RulePlace<Review>,
  rule: ReviewRule,
): Promise<Review> {
  const now = Date.now();
  const review: Review = {
    ...rule,
    ...{ id: previous?.id ?? uuidv7(), organization_id: organizationId },
    ...{ created_at: previous?.created_at ?? now, updated_at: now },
  };
  await REVIEWS.put(records, review, by, previous);
  return review;
}

/** Removes a review with its queue; the scores that were given stay. */
export function removeReview(records: Database, review: Review, by: Acting): Promise<void> {
  return REVIEWS.remove(records, review, by, [
    over(records).delete(reviewItems).where(eq(reviewItems.review_id, review.id)),
    over(records).delete(reviewAnswers).where(eq(reviewAnswers.review_id, review.id)),
  ]);
}

interface NewItem {
  readonly request_id: string;
  readonly request_created_at: number;
}

/** Adds records to the queue; records already in it stay as they are. @returns number of new ones. */
export async function addReviewItems(
  records: Database,
  { id, organization_id }: Review,
  items: readonly NewItem[],
): Promise<number> {
  if (items.length === 0) return 0;
  const rows = items.map(({ request_id, request_created_at }) => [
    request_id,
    request_created_at,
    shuffled(id, request_id),
  ]);
  const insert = sql`insert into ${reviewItems} (review_id, request_id, organization_id, request_created_at, shuffle)
    select ${id}, value ->> 0, ${organization_id}, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)}) where true
    on conflict do nothing returning request_id`;
  return (await patiently(() => records.query(statementOf(insert)))).length;
}

export async function countReviewItems(records: Database, id: string): Promise<number> {
  return over(records).$count(reviewItems, eq(reviewItems.review_id, id));
}

/** The order is the same for every reviewer and different in every review. */
function shuffled(reviewId: string, requestId: string): number {
  return createHash("sha256").update(`${reviewId} ${requestId}`).digest().readUIntBE(0, 6);
}

/** Deletes items and results of removed records. @param ids - JSON text of a list. */
export const forgetReviewed = (ids: string): Statement[] => [
  { sql: "delete from review_items where request_id in (select value from json_each(?))", args: [ids] },
  { sql: "delete from review_answers where request_id in (select value from json_each(?))", args: [ids] },
];
