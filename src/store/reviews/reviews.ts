import { createHash } from "node:crypto";
import type { Acting } from "../../people/actor.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { patiently } from "../database/patiently.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database, Statement } from "../store.ts";
import type { ReviewBody, ReviewRule } from "./review-rule.ts";

export interface Review extends ReviewRule, StoredRule {}

/** An organization has so many at most. */
const REVIEWS_MAX = 200;

const REVIEWS = ruleTable<Review>("reviews", {
  columns: [
    ...(["id", "organization_id", "name", "scores", "sequence", "reviewers", "created_at", "updated_at"] as const),
  ],
  json: ["scores"],
  flags: [],
  max: REVIEWS_MAX,
  noted: { noun: "review", nameOf: ({ name }) => name, shown: bodyOfReview },
});

export const { list: listReviews, find: findReview } = REVIEWS;

/** What a client would send to make this very review. */
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
  const args = [review.id];
  return REVIEWS.remove(records, review, by, [
    { sql: "delete from review_items where review_id = ?", args },
    { sql: "delete from review_answers where review_id = ?", args },
  ]);
}

export interface NewItem {
  readonly request_id: string;
  readonly request_created_at: number;
}

/** Puts records into the queue; those that are in it already stay as they are. @returns how many are new. */
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
  const sql = `insert into review_items (review_id, request_id, organization_id, request_created_at, shuffle)
    select ?, value ->> 0, ?, value ->> 1, value ->> 2 from json_each(?) where true on conflict do nothing returning request_id`;
  const args = [id, organization_id, JSON.stringify(rows)];
  return (await patiently(() => records.query({ sql, args }))).length;
}

export async function countReviewItems(records: Database, id: string): Promise<number> {
  const sql = "select count(*) as n from review_items where review_id = ?";
  return (await records.query<{ n: number }>({ sql, args: [id] }))[0]!.n;
}

/** The same for every reviewer, and another one in every review. */
function shuffled(reviewId: string, requestId: string): number {
  return createHash("sha256").update(`${reviewId} ${requestId}`).digest().readUIntBE(0, 6);
}

/** What reviews have of records that are removed. @param ids - JSON text of a list. */
export const forgetReviewed = (ids: string): Statement[] => [
  { sql: "delete from review_items where request_id in (select value from json_each(?))", args: [ids] },
  { sql: "delete from review_answers where request_id in (select value from json_each(?))", args: [ids] },
];
