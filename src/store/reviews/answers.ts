import { and, desc, eq, ne } from "drizzle-orm";
import { reviewAnswers, reviewItems } from "../../record/tables.ts";
import { ifGiven, over } from "../database/builder.ts";
import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";
import type { GivenScore } from "./review-rule.ts";
import type { Review } from "./reviews.ts";

/** How long a record is kept for the reviewer that it was handed to. */
const LEASE_MS = 10 * 60_000;

export interface Reviewer {
  readonly id: string;
  readonly name: string;
}

export interface ReviewAnswer {
  readonly request_id: string;
  readonly reviewer: string;
  readonly author: string;
  readonly state: "done" | "skipped";
  readonly scores: Readonly<Record<string, GivenScore>>;
  readonly reason: string | null;
  readonly updated_at: number;
}

export interface Lease {
  readonly request_id: string;
  readonly leased_until: number;
}

const ORDERS: Readonly<Record<Review["sequence"], string>> = {
  newest: "i.request_created_at desc",
  oldest: "i.request_created_at",
  random: "i.shuffle",
};

/** Answers of others to a record `i`, which count against how many are to review it: `?2` is who asks, `?3` now. */
const others = (state: string) => `(select count(*) from review_answers a where a.review_id = i.review_id
    and a.request_id = i.request_id and a.reviewer <> ?2 and ${state})`;
const TAKEN = "(a.state = 'done' or (a.state = 'leased' and a.leased_until > ?3))";
const own = (state: string) => `exists (select 1 from review_answers a where a.review_id = i.review_id
    and a.request_id = i.request_id and a.reviewer = ?2 and ${state})`;
const ANSWERED = "a.state in ('done', 'skipped')";

/**
 * Hands the next record to a reviewer: the one that they have, or the first that still needs one. One statement finds and
 * takes it, so that no two get the same place.
 */
export async function takeNext(records: Database, review: Review, reviewer: Reviewer): Promise<Lease | undefined> {
  const now = Date.now();
  const sql = `insert into review_answers (review_id, request_id, reviewer, organization_id, author, state, scores,
      leased_until, created_at, updated_at)
    select i.review_id, i.request_id, ?2, i.organization_id, ?4, 'leased', '{}', ?5, ?3, ?3 from review_items i
      where i.review_id = ?1 and not ${own(ANSWERED)} and ${others(TAKEN)} < ?6
      order by ${own("a.state = 'leased'")} desc, ${ORDERS[review.sequence]}, i.request_id limit 1
    on conflict (review_id, request_id, reviewer) do update set leased_until = excluded.leased_until, updated_at = excluded.updated_at
    returning request_id, leased_until`;
  const args = [review.id, reviewer.id, now, reviewer.name, now + LEASE_MS, review.reviewers];
  return (await patiently(() => records.query<Lease>({ sql, args })))[0];
}

/** How far one reviewer is: `left` are records that they could be given, now or once others let go of them. */
export interface OwnProgress {
  readonly done: number;
  readonly skipped: number;
  readonly left: number;
}

export async function ownProgress(records: Database, review: Review, reviewer: Reviewer): Promise<OwnProgress> {
  const sql = `select coalesce(sum(${own("a.state = 'done'")}), 0) as done,
      coalesce(sum(${own("a.state = 'skipped'")}), 0) as skipped,
      coalesce(sum(not ${own(ANSWERED)} and ${others("a.state = 'done'")} < ?3), 0) as "left"
    from review_items i where i.review_id = ?1`;
  const args = [review.id, reviewer.id, review.reviewers];
  return (await records.query<OwnProgress>({ sql, args }))[0]!;
}

export async function isInReview(records: Database, reviewId: string, requestId: string): Promise<boolean> {
  const which = and(eq(reviewItems.review_id, reviewId), eq(reviewItems.request_id, requestId));
  return (await over(records).$count(reviewItems, which)) > 0;
}

/** Notes what a reviewer did with a record, in place of what they did before. */
export async function putAnswer(
  records: Database,
  review: Review,
  reviewer: Reviewer,
  answer: Pick<ReviewAnswer, "request_id" | "state" | "scores" | "reason">,
): Promise<void> {
  const now = Date.now();
  const { request_id, ...given } = answer;
  const key = { review_id: review.id, request_id, reviewer: reviewer.id };
  const set = { ...given, author: reviewer.name, leased_until: now, updated_at: now };
  const { review_id, request_id: request, reviewer: who } = reviewAnswers;
  await patiently(() =>
    over(records)
      .insert(reviewAnswers)
      .values({ ...key, ...set, organization_id: review.organization_id, created_at: now })
      .onConflictDoUpdate({ target: [review_id, request, who], set }),
  );
}

/** Has a reviewer be asked about a record again. */
export async function removeAnswer(
  records: Database,
  review: Review,
  reviewer: Reviewer,
  requestId: string,
): Promise<void> {
  const { review_id, request_id, reviewer: who } = reviewAnswers;
  const which = and(eq(review_id, review.id), eq(request_id, requestId), eq(who, reviewer.id));
  await patiently(() => over(records).delete(reviewAnswers).where(which));
}

/** What was done last, the newest record first. @param reviewer - only what they did. */
export async function listAnswers(
  records: Database,
  review: Review,
  { reviewer, limit, offset }: { readonly reviewer: string | null; readonly limit: number; readonly offset: number },
): Promise<ReviewAnswer[]> {
  const { request_id, reviewer: who, author, state, scores, reason, created_at, updated_at } = reviewAnswers;
  const rows = over(records)
    .select({ request_id, reviewer: who, author, state, scores, reason, updated_at })
    .from(reviewAnswers)
    .where(and(eq(reviewAnswers.review_id, review.id), ifGiven(who, reviewer), ne(state, "leased")))
    .orderBy(desc(created_at), desc(request_id), who)
    .limit(limit)
    .offset(offset);
  return (await rows) as ReviewAnswer[];
}
