import { and, desc, eq, ne, type SQL, sql } from "drizzle-orm";
import { reviewAnswers, reviewItems } from "../../record/tables.ts";
import { ifGiven, over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";
import type { GivenScore } from "./review-rule.ts";
import type { Review } from "./reviews.ts";

/** How long a record is reserved for the reviewer who got it. */
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

interface Lease {
  readonly request_id: string;
  readonly leased_until: number;
}

const ORDERS: Readonly<Record<Review["sequence"], SQL>> = {
  newest: sql`i.request_created_at desc`,
  oldest: sql`i.request_created_at`,
  random: sql`i.shuffle`,
};

const DONE = sql`a.state = 'done'`;
const SKIPPED = sql`a.state = 'skipped'`;
const ANSWERED = sql`a.state in ('done', 'skipped')`;

/** Counts other reviewers' answers in a state for record `i`; compared with the number of reviewers wanted. */
const others = (reviewer: Reviewer, state: SQL) => sql`(select count(*) from ${reviewAnswers} a
    where a.review_id = i.review_id and a.request_id = i.request_id and a.reviewer <> ${reviewer.id} and ${state})`;
const own = (reviewer: Reviewer, state: SQL) => sql`exists (select 1 from ${reviewAnswers} a
    where a.review_id = i.review_id and a.request_id = i.request_id and a.reviewer = ${reviewer.id} and ${state})`;

/**
 * Assigns the next record to a reviewer: the one that they hold, or the first that needs a reviewer. One statement selects
 * and assigns it, so that no place is given twice.
 */
export async function takeNext(records: Database, review: Review, reviewer: Reviewer): Promise<Lease | undefined> {
  const now = Date.now();
  const taken = sql`(${DONE} or (a.state = 'leased' and a.leased_until > ${now}))`;
  const take = sql`insert into ${reviewAnswers} (review_id, request_id, reviewer, organization_id, author, state, scores,
      leased_until, created_at, updated_at)
    select i.review_id, i.request_id, ${reviewer.id}, i.organization_id, ${reviewer.name}, 'leased', '{}',
        ${now + LEASE_MS}, ${now}, ${now}
      from ${reviewItems} i
      where i.review_id = ${review.id} and not ${own(reviewer, ANSWERED)} and ${others(reviewer, taken)} < ${review.reviewers}
      order by ${own(reviewer, sql`a.state = 'leased'`)} desc, ${ORDERS[review.sequence]}, i.request_id limit 1
    on conflict (review_id, request_id, reviewer) do update set leased_until = excluded.leased_until, updated_at = excluded.updated_at
    returning request_id, leased_until`;
  return (await patiently(() => records.query<Lease>(statementOf(take))))[0];
}

/** Progress of one reviewer: `left` counts records that they could get, now or when others' leases expire. */
interface OwnProgress {
  readonly done: number;
  readonly skipped: number;
  readonly left: number;
}

export async function ownProgress(records: Database, review: Review, reviewer: Reviewer): Promise<OwnProgress> {
  const left = sql`not ${own(reviewer, ANSWERED)} and ${others(reviewer, DONE)} < ${review.reviewers}`;
  const progress = sql`select coalesce(sum(${own(reviewer, DONE)}), 0) as done,
      coalesce(sum(${own(reviewer, SKIPPED)}), 0) as skipped, coalesce(sum(${left}), 0) as "left"
    from ${reviewItems} i where i.review_id = ${review.id}`;
  return (await records.query<OwnProgress>(statementOf(progress)))[0]!;
}

export async function isInReview(records: Database, reviewId: string, requestId: string): Promise<boolean> {
  const which = and(eq(reviewItems.review_id, reviewId), eq(reviewItems.request_id, requestId));
  return (await over(records).$count(reviewItems, which)) > 0;
}

/** Stores a reviewer's result for a record, replacing an earlier one. */
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

/** Removes a reviewer's result, so that they get the record again. */
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

/** Latest results, newest record first. @param reviewer - only the results of this reviewer. */
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
