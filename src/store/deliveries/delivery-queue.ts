import { and, count, desc, eq, gt, gte, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import { deliveries } from "../../record/tables.ts";
import { over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";
import type { Delivery } from "./deliveries.ts";

/** The result of one attempt. */
export interface Attempt {
  readonly delivery: Delivery;
  /** Null when it was delivered. With `retryAt` it is retried then, otherwise it has failed permanently. */
  readonly failure: { readonly error: string; readonly retryAt: number | undefined } | null;
  readonly status: number | null;
}

/** Why a delivery without its record ends; its receiver is not at fault. */
export const REMOVED = "the record was removed";

/** Not bound as a parameter: SQLite uses a partial index only if the query repeats its condition literally. */
const PENDING = sql`${deliveries.state} = 'pending'`;

/** Endpoints with pending deliveries, found with one index step per endpoint; the last row is null. */
const WAITING = sql`with recursive waiting(id) as (
    select min(endpoint_id) from deliveries where state = 'pending'
    union all
    select (select min(d.endpoint_id) from deliveries d where d.state = 'pending' and d.endpoint_id > waiting.id)
      from waiting where waiting.id is not null
  )`;

/** When the next pending delivery is due, in milliseconds since 1970; undefined if there is none. */
export async function nextDue(records: Database): Promise<number | undefined> {
  const next = sql`${WAITING}
    select min((select min(d.next_attempt_at) from deliveries d where d.state = 'pending' and d.endpoint_id = waiting.id)) as at
      from waiting where id is not null`;
  const [row] = await records.query<{ at: number | null }>(statementOf(next));
  return row!.at ?? undefined;
}

/** Endpoints with deliveries that are due. */
export async function dueEndpoints(records: Database, now: number): Promise<string[]> {
  const due = sql`${WAITING}
    select id from waiting where id is not null
      and (select min(d.next_attempt_at) from deliveries d where d.state = 'pending' and d.endpoint_id = waiting.id) <= ${now}`;
  return (await records.query<{ id: string }>(statementOf(due))).map(({ id }) => id);
}

/**
 * Claims the due deliveries of an endpoint, longest due first. No other process claims them until the lease expires.
 *
 * @param claim - unique for each call.
 */
export async function claimDue(
  records: Database,
  endpointId: string,
  { claim, now, leaseMs, limit }: { claim: string; now: number; leaseMs: number; limit: number },
): Promise<Delivery[]> {
  const until = now + leaseMs;
  const db = over(records);
  const due = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(pendingOf(endpointId), lte(deliveries.next_attempt_at, now)))
    .orderBy(deliveries.next_attempt_at)
    .limit(limit);
  await db.update(deliveries).set({ claim, next_attempt_at: until }).where(inArray(deliveries.id, due));
  const claimed = sql`select * from deliveries indexed by deliveries_due
    where state = 'pending' and endpoint_id = ${endpointId} and next_attempt_at = ${until} and claim = ${claim}
    order by created_at, id`;
  return records.query<Delivery>(statementOf(claimed));
}

/** Stores the results of attempts in one transaction. */
export async function settle(records: Database, attempts: readonly Attempt[], now: number): Promise<void> {
  const db = over(records);
  const changes = attempts.map(({ delivery, failure, status }) => {
    const state = failure === null ? "delivered" : failure.retryAt === undefined ? "failed" : "pending";
    return db
      .update(deliveries)
      .set({
        ...{
          state,
          attempts: sql`${deliveries.attempts} + 1`,
          last_status: status,
          last_error: failure?.error ?? null,
        },
        ...{ claim: null, next_attempt_at: failure?.retryAt ?? now, finished_at: state === "pending" ? null : now },
      })
      .where(eq(deliveries.id, delivery.id));
  });
  await records.batch(changes.map(statementOf));
}

/** Releases all claims that start with `prefix`: the process that made them has ended. */
export async function releaseClaims(records: Database, prefix: string, now: number): Promise<void> {
  const theirs = sql`substr(${deliveries.claim}, 1, ${prefix.length}) = ${prefix}`;
  const change = over(records).update(deliveries).set({ claim: null, next_attempt_at: now });
  await change.where(and(PENDING, theirs));
}

/**
 * Makes deliveries due that are scheduled further ahead than any delay allows: they were scheduled before the clock was set
 * back.
 *
 * @param most - maximum delay of a delivery in milliseconds.
 */
export async function bringForward(records: Database, now: number, most: number): Promise<void> {
  const change = sql`${WAITING}
    update deliveries set next_attempt_at = ${now} where state = 'pending' and next_attempt_at > ${now + most}
      and endpoint_id in (select id from waiting where id is not null)`;
  await records.batch([statementOf(change)]);
}

/** Finished deliveries kept per endpoint, for inspection. */
const KEPT = 1_000;
/** Maximum pending deliveries per endpoint; beyond that the oldest fail. */
const PENDING_MAX = 1_000_000;
/** Rows removed per step. */
const STEP_ROWS = 2_000;

/** Removes finished deliveries of endpoints except the last ones of each, in small steps. */
export async function sweepDeliveries(
  records: Database,
  endpointIds: Iterable<string>,
  pause: () => Promise<void>,
): Promise<void> {
  const db = over(records);
  const { id, endpoint_id, state, created_at } = deliveries;
  for (const endpointId of endpointIds) {
    const finished = and(eq(endpoint_id, endpointId), ne(state, "pending"));
    for (;;) {
      const last = await db
        .select({ created_at })
        .from(deliveries)
        .where(finished)
        .orderBy(desc(created_at))
        .limit(1)
        .offset(KEPT)
        .get();
      if (last === undefined) break;
      const old = db
        .select({ id })
        .from(deliveries)
        .where(and(finished, lte(created_at, last.created_at)))
        .orderBy(created_at)
        .limit(STEP_ROWS);
      await patiently(() => db.delete(deliveries).where(inArray(id, old)));
      await pause();
    }
  }
}

/** Number of pending deliveries, and the creation time of the oldest. Runs off the thread. */
export async function waitingDeliveries(
  records: Database,
  deadlineMs: number,
): Promise<{ readonly waiting: number; readonly since: number | null }> {
  // In order of creation, few deliveries of an endpoint precede its first pending one, because finished ones are swept.
  const waiting = sql`${WAITING}
    select (select count(*) from deliveries where state = 'pending') as waiting,
      (select min(created_at) from (select (select d.created_at from deliveries d indexed by deliveries_endpoint
        where d.endpoint_id = waiting.id and d.state = 'pending' order by d.created_at limit 1) as created_at
        from waiting where waiting.id is not null)) as since`;
  const [row] = await records.query<{ waiting: number; since: number | null }>(statementOf(waiting), { deadlineMs });
  return row!;
}

/** Deliveries that an endpoint did not accept. */
export interface EndpointTrouble {
  readonly source_id: string;
  readonly endpoint_id: string;
  /** Failed permanently since the given time, as far as they are kept. */
  readonly failed: number;
  /** Attempted without success, to be retried. */
  readonly waiting: number;
  /** The error of the newest of them. */
  readonly last_error: string | null;
}

/**
 * Endpoints with permanently failed deliveries since the given time, or whose last attempt failed; those of removed records
 * are left out. Reads all stored deliveries.
 */
export async function endpointTroubles(
  records: Database,
  since: number,
  deadlineMs: number,
): Promise<EndpointTrouble[]> {
  const { source_id, endpoint_id, state, finished_at, next_attempt_at, attempts, last_error } = deliveries;
  const isOfReceiver = or(isNull(last_error), ne(last_error, REMOVED));
  const last = sql`printf('%016d', coalesce(${finished_at}, ${next_attempt_at})) || coalesce(${last_error}, '')`;
  return over(records, deadlineMs)
    .select({
      source_id,
      endpoint_id,
      failed: sql<number>`sum(${eq(state, "failed")})`,
      waiting: sql<number>`sum(${PENDING})`,
      last_error: sql<string | null>`substr(max(${last}), 17)`,
    })
    .from(deliveries)
    .where(or(and(eq(state, "failed"), gte(finished_at, since), isOfReceiver), and(PENDING, gt(attempts, 0))))
    .groupBy(source_id, endpoint_id)
    .orderBy(source_id, endpoint_id);
}

const pendingOf = (endpointId: string) => and(PENDING, eq(deliveries.endpoint_id, endpointId));

/** Fails the oldest deliveries of endpoints with too many pending. @returns number of failed deliveries. */
export async function limitWaiting(records: Database, now: number, most = PENDING_MAX): Promise<number> {
  const db = over(records);
  const { id, endpoint_id, created_at } = deliveries;
  const full = await db
    .select({ endpoint: endpoint_id, waiting: count() })
    .from(deliveries)
    .where(PENDING)
    .groupBy(endpoint_id)
    .having(gt(count(), most));
  let gaveUp = 0;
  for (const { endpoint, waiting } of full) {
    const oldest = db
      .select({ id })
      .from(deliveries)
      .where(pendingOf(endpoint))
      .orderBy(created_at)
      .limit(waiting - most);
    await db
      .update(deliveries)
      .set({ state: "failed", last_error: "too many are waiting", claim: null, finished_at: now })
      .where(inArray(id, oldest));
    gaveUp += waiting - most;
  }
  return gaveUp;
}
