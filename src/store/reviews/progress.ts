import { and, desc, eq, ne, sql } from "drizzle-orm";
import { reviewAnswers, reviewItems } from "../../record/tables.ts";
import { over, statementOf } from "../database/builder.ts";
import type { Database } from "../store.ts";
import type { Review } from "./reviews.ts";

/** Progress of a review. */
interface Progress {
  readonly requests: number;
  /** Reviewed by the required number of reviewers. */
  readonly done: number;
}

interface OfReviewer {
  readonly id: string;
  readonly name: string;
  readonly done: number;
  readonly skipped: number;
}

/** Agreement between reviewers who scored the same records. */
interface Agreement {
  readonly name: string;
  /** Number of pairs of reviewers per record. */
  readonly pairs: number;
  /** Fraction of pairs with the same score; null for numbers. */
  readonly equal: number | null;
  /** Mean absolute difference; null for scores that are not numbers. */
  readonly difference: number | null;
}

export async function progressOf(records: Database, { id, reviewers }: Review): Promise<Progress> {
  const progress = sql`select count(*) as requests, coalesce(sum(done >= ${reviewers}), 0) as done from (
      select (select count(*) from ${reviewAnswers} a
          where a.review_id = i.review_id and a.request_id = i.request_id and a.state = 'done') as done
      from ${reviewItems} i where i.review_id = ${id})`;
  return (await records.query<Progress>(statementOf(progress)))[0]!;
}

/** Reviewers of a review, most active first. */
export async function reviewersOf(records: Database, { id }: Review): Promise<OfReviewer[]> {
  const { reviewer, author, review_id, state } = reviewAnswers;
  const done = sql<number>`sum(${eq(state, "done")})`;
  return over(records)
    .select({
      id: reviewer,
      name: sql<string>`max(${author})`,
      done,
      skipped: sql<number>`sum(${eq(state, "skipped")})`,
    })
    .from(reviewAnswers)
    .where(and(eq(review_id, id), ne(state, "leased")))
    .groupBy(reviewer)
    .orderBy(desc(done), reviewer);
}

/** Agreement on the scores that two or more reviewers gave to the same record. */
export async function agreementOf(records: Database, { id, scores }: Review): Promise<Agreement[]> {
  const agreement = sql`select a.key as name, count(*) as pairs, avg(a.value = b.value) as equal, avg(abs(a.value - b.value)) as difference
    from ${reviewAnswers} x join ${reviewAnswers} y
        on y.review_id = x.review_id and y.request_id = x.request_id and y.reviewer > x.reviewer,
      json_each(x.scores) a join json_each(y.scores) b on b.key = a.key
    where x.review_id = ${id} and x.state = 'done' and y.state = 'done' group by a.key`;
  const found = new Map((await records.query<Row>(statementOf(agreement))).map((row) => [row.name, row]));
  return scores.flatMap(({ name, kind }) => {
    const row = found.get(name);
    if (row === undefined) return [];
    const isNumber = kind === "number";
    const { pairs, equal, difference } = row;
    return [{ name, pairs, equal: isNumber ? null : equal, difference: isNumber ? difference : null }];
  });
}

interface Row {
  readonly name: string;
  readonly pairs: number;
  readonly equal: number;
  readonly difference: number;
}
