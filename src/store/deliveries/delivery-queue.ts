import { patiently } from "../database/patiently.ts";
import type { Database, Statement } from "../store.ts";
import type { Delivery } from "./deliveries.ts";

/** What came of one attempt. */
export interface Attempt {
  readonly delivery: Delivery;
  /** With `retryAt` it is tried again then, else it has failed for good; null where it was taken. */
  readonly failure: { readonly error: string; readonly retryAt: number | undefined } | null;
  readonly status: number | null;
}

/** Endpoints with something that waits, found by one step through the index for each, and a null behind them. */
const WAITING = `with recursive waiting(id) as (
    select min(endpoint_id) from deliveries where state = 'pending'
    union all
    select (select min(d.endpoint_id) from deliveries d where d.state = 'pending' and d.endpoint_id > waiting.id)
      from waiting where waiting.id is not null
  )`;

/** Endpoints with something that is due. */
export async function dueEndpoints(records: Database, now: number): Promise<string[]> {
  const sql = `${WAITING}
    select id from waiting where id is not null
      and (select min(d.next_attempt_at) from deliveries d where d.state = 'pending' and d.endpoint_id = waiting.id) <= ?`;
  return (await records.query<{ id: string }>({ sql, args: [now] })).map(({ id }) => id);
}

/**
 * Takes what is due for an endpoint, the longest due first: nobody else takes it until the lease is over.
 *
 * @param claim - unlike that of any other call.
 */
export async function claimDue(
  records: Database,
  endpointId: string,
  { claim, now, leaseMs, limit }: { claim: string; now: number; leaseMs: number; limit: number },
): Promise<Delivery[]> {
  const until = now + leaseMs;
  await records.batch([
    {
      sql: `update deliveries set claim = ?, next_attempt_at = ? where id in (select id from deliveries
        where state = 'pending' and endpoint_id = ? and next_attempt_at <= ? order by next_attempt_at limit ?)`,
      args: [claim, until, endpointId, now, limit],
    },
  ]);
  const sql = `select * from deliveries indexed by deliveries_due
    where state = 'pending' and endpoint_id = ? and next_attempt_at = ? and claim = ? order by created_at, id`;
  return records.query<Delivery>({ sql, args: [endpointId, until, claim] });
}

/** Notes what came of attempts, all in one transaction. */
export async function settle(records: Database, attempts: readonly Attempt[], now: number): Promise<void> {
  await records.batch(attempts.map((attempt) => settleStatement(attempt, now)));
}

function settleStatement({ delivery, failure, status }: Attempt, now: number): Statement {
  const state = failure === null ? "delivered" : failure.retryAt === undefined ? "failed" : "pending";
  return {
    sql: `update deliveries set state = ?, attempts = attempts + 1, last_status = ?, last_error = ?, claim = null,
      next_attempt_at = ?, finished_at = ? where id = ?`,
    args: [
      state,
      status,
      failure?.error ?? null,
      failure?.retryAt ?? now,
      state === "pending" ? null : now,
      delivery.id,
    ],
  };
}

/** Gives back what was taken by claims that begin so: whoever took it is no more. */
export async function releaseClaims(records: Database, prefix: string, now: number): Promise<void> {
  const sql = `update deliveries set claim = null, next_attempt_at = ?
    where state = 'pending' and substr(claim, 1, ?) = ?`;
  await records.batch([{ sql, args: [now, prefix.length, prefix] }]);
}

/**
 * Makes due what would be tried later than anything that is put off now: it was put off before the clock was set back.
 *
 * @param most - milliseconds that a delivery is put off at most.
 */
export async function bringForward(records: Database, now: number, most: number): Promise<void> {
  const sql = `${WAITING}
    update deliveries set next_attempt_at = ? where state = 'pending' and next_attempt_at > ?
      and endpoint_id in (select id from waiting where id is not null)`;
  await records.batch([{ sql, args: [now, now + most] }]);
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
  for (const id of endpointIds) {
    for (;;) {
      const [last] = await records.query<{ created_at: number }>({
        sql: `select created_at from deliveries where endpoint_id = ? and state <> 'pending'
          order by created_at desc limit 1 offset ${KEPT}`,
        args: [id],
      });
      if (last === undefined) break;
      const sql = `delete from deliveries where id in (select id from deliveries
        where endpoint_id = ? and state <> 'pending' and created_at <= ? order by created_at limit ${STEP_ROWS})`;
      await patiently(() => records.batch([{ sql, args: [id, last.created_at] }]));
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
  const sql = `${WAITING}
    select (select count(*) from deliveries where state = 'pending') as waiting,
      (select min(created_at) from (select (select d.created_at from deliveries d indexed by deliveries_endpoint
        where d.endpoint_id = waiting.id and d.state = 'pending' order by d.created_at limit 1) as created_at
        from waiting where waiting.id is not null)) as since`;
  const [row] = await records.query<{ waiting: number; since: number | null }>({ sql, args: [] }, { deadlineMs });
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
export function endpointTroubles(records: Database, since: number, deadlineMs: number): Promise<EndpointTrouble[]> {
  const sql = `select source_id, endpoint_id, sum(state = 'failed') as failed, sum(state = 'pending') as waiting,
      substr(max(printf('%016d', coalesce(finished_at, next_attempt_at)) || coalesce(last_error, '')), 17) as last_error
    from deliveries
    where (state = 'failed' and finished_at >= ?) or (state = 'pending' and attempts > 0)
    group by source_id, endpoint_id order by source_id, endpoint_id`;
  return records.query<EndpointTrouble>({ sql, args: [since] }, { deadlineMs });
}

/** Lets the oldest of an endpoint that has too many waiting give up. @returns how many did. */
export async function limitWaiting(records: Database, now: number, most = PENDING_MAX): Promise<number> {
  const full = await records.query<{ id: string; waiting: number }>({
    sql: `select endpoint_id as id, count(*) as waiting from deliveries where state = 'pending'
      group by endpoint_id having count(*) > ?`,
    args: [most],
  });
  let gaveUp = 0;
  for (const { id, waiting } of full) {
    const sql = `update deliveries set state = 'failed', last_error = 'too many are waiting', claim = null, finished_at = ?
      where id in (select id from deliveries where endpoint_id = ? and state = 'pending' order by created_at limit ?)`;
    await records.batch([{ sql, args: [now, id, waiting - most] }]);
    gaveUp += waiting - most;
  }
  return gaveUp;
}
