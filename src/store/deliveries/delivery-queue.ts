import { and, count, desc, eq, gt, gte, inArray, lte, ne, or, sql } from "drizzle-orm";
import { deliveries } from "../../record/tables.ts";
import { over, statementOf } from "../database/builder.ts";
import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";
import type { Delivery } from "./deliveries.ts";

/** What came of one attempt. */
export interface Attempt {
  readonly delivery: Delivery;
  /** With `retryAt` it is tried again then, else it has failed for good; null where it was taken. */
  readonly failure: { readonly error: string; readonly retryAt: number | undefined } | null;
  readonly status: number | null;
}

/** Not bound: a partial index is used only where its condition stands in the query as it is. */
const PENDING = sql`${deliveries.state} = 'pending'`;

/** Endpoints with something that waits, found by one step through the index for each, and a null behind them. */
const WAITING = sql`with recursive waiting(id) as (
    select min(endpoint_id) from deliveries where state = 'pending'
    union all
    select (select min(d.endpoint_id) from deliveries d where d.state = 'pending' and d.endpoint_id > waiting.id)
      from waiting where waiting.id is not null
  )`;

/** Endpoints with something that is due. */
export async function dueEndpoints(records: Database, now: number): Promise<string[]> {
  const due = sql`${WAITING}
    select id from waiting where id is not null
      and (select min(d.next_attempt_at) from deliveries d where d.state = 'pending' and d.endpoint_id = waiting.id) <= ${now}`;
  return (await records.query<{ id: string }>(statementOf(due))).map(({ id }) => id);
}

/**
 * Takes what is due for an endpoint, the longest due first. No other process takes it until the lease expires.
 *
 * @param claim - unlike that of any other call.
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

/** Notes what came of attempts, all in one transaction. */
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

/** Releases all claims that begin with `prefix`: the process that made them has ended. */
export async function releaseClaims(records: Database, prefix: string, now: number): Promise<void> {
  const theirs = sql`substr(${deliveries.claim}, 1, ${prefix.length}) = ${prefix}`;
  const change = over(records).update(deliveries).set({ claim: null, next_attempt_at: now });
  await change.where(and(PENDING, theirs));
}

/**
 * Makes due what would be tried later than anything that is put off now: it was put off before the clock was set back.
 *
 * @param most - milliseconds that a delivery is put off at most.
 */
export async function bringForward(records: Database, now: number, most: number): Promise<void> {
  const change = sql`${WAITING}
    update deliveries set next_attempt_at = ${now} where state = 'pending' and next_attempt_at > ${now + most}
      and endpoint_id in (select id from waiting where id is not null)`;
  await records.batch([statementOf(change)]);
}

/** Finished deliveries of each endpoint that stay to be looked at. */
const KEPT = 1_000;
/** Deliveries that one endpoint may have waiting; beyond it the oldest give up. */
const PENDING_MAX = 1_000_000;
/** Rows that one step removes. */
const STEP_ROWS = 2_000;

/** Removes finished deliveries of endpoints but the last ones of each, in small steps. */
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

/** How many wait, and since when the one that has waited longest. Runs off the thread. */
export async function waitingDeliveries(
  records: Database,
  deadlineMs: number,
): Promise<{ readonly waiting: number; readonly since: number | null }> {
  // In the order of their making few of an endpoint stand before its first one that waits: finished ones are swept.
  const waiting = sql`${WAITING}
    select (select count(*) from deliveries where state = 'pending') as waiting,
      (select min(created_at) from (select (select d.created_at from deliveries d indexed by deliveries_endpoint
        where d.endpoint_id = waiting.id and d.state = 'pending' order by d.created_at limit 1) as created_at
        from waiting where waiting.id is not null)) as since`;
  const [row] = await records.query<{ waiting: number; since: number | null }>(statementOf(waiting), { deadlineMs });
  return row!;
}

/** What an endpoint did not take. */
export interface EndpointTrouble {
  readonly source_id: string;
  readonly endpoint_id: string;
  /** Given up since the time asked for, as far as they are kept. */
  readonly failed: number;
  /** Tried in vain, to be tried again. */
  readonly waiting: number;
  /** Of the newest of them. */
  readonly last_error: string | null;
}

/** Endpoints that gave cause for giving up since then, or that did not take the last attempt. Reads all that is kept. */
export async function endpointTroubles(
  records: Database,
  since: number,
  deadlineMs: number,
): Promise<EndpointTrouble[]> {
  const { source_id, endpoint_id, state, finished_at, next_attempt_at, attempts, last_error } = deliveries;
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
    .where(or(and(eq(state, "failed"), gte(finished_at, since)), and(PENDING, gt(attempts, 0))))
    .groupBy(source_id, endpoint_id)
    .orderBy(source_id, endpoint_id);
}

const pendingOf = (endpointId: string) => and(PENDING, eq(deliveries.endpoint_id, endpointId));

/** Lets the oldest of an endpoint that has too many waiting give up. @returns how many did. */
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
