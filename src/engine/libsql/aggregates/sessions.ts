import { PLANNED } from "../../../filter/access-path.ts";
import { GROUPS } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { EMPTY, raw, sql } from "../../../filter/sql.ts";
import { ALL } from "../../../filter/tree.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { Key, SessionsQuery } from "../../aggregates.ts";
import type { RecordKey } from "../../record-source.ts";
import { withoutBodies } from "../find/find.ts";
import { seqsOf } from "../find/found-row.ts";
import { fromBlocks, iso, sumOfDollars } from "./from-blocks.ts";
import { type Subject, totalsBy } from "./totals.ts";

const SESSIONS: Subject = {
  name: "session",
  id: "session_id",
  first: "created_at",
  last: "latest_request_created_at",
};

/** Metrics of each session, over the requests of the scope. */
export async function sessions(database: Database, scope: Scope, query: SessionsQuery, deadline: Deadline) {
  const { order, page, among } = query;
  if (among?.size === 0) return [];
  const sorted = [...order, ["session_id", "desc"] as const];
  const rows = await totalsBy(database, scope, { ...SESSIONS, order: sorted, page, among }, deadline);
  const known = await lookUp(database, scope, { ids: rows.map((row) => row["session_id"] ?? null), deadline });
  return rows.map(({ latest_request_created_at, created_at, session_id = null, ...totals }) => {
    const { name = null, users = "[]" } = known.get(String(session_id)) ?? {};
    return {
      session_id,
      session_name: name,
      users: JSON.parse(users) as string[],
      ...totals,
      cost: sumOfDollars(totals["cost"]),
      created_at: iso(created_at),
      latest_request_created_at: iso(latest_request_created_at),
    };
  });
}

interface LookUp {
  readonly ids: readonly Key[];
  readonly deadline: Deadline;
}

/** Number of newest requests of a session from which users are listed. */
const USERS_OF_NEWEST = 100;

/** Names and users are looked up only for the page, so that an index suffices for the totals. */
async function lookUp(database: Database, { organizationId }: Scope, { ids, deadline }: LookUp) {
  const found = await database.query<{ id: string; name: string | null; users: string }>(
    {
      sql: `select w.value as id, (select s.session_name from requests s where s.organization_id = ?2
          and s.session_id = w.value and s.session_name is not null
          order by s.request_created_at desc, s.request_id desc limit 1) as name,
        (select json_group_array(distinct n.user_id) from (select s.user_id from requests s where s.organization_id = ?2
          and s.session_id = w.value order by s.request_created_at desc limit ${USERS_OF_NEWEST}) n
          where n.user_id is not null) as users
        from json_each(?1) w`,
      args: [JSON.stringify(ids), organizationId],
    },
    deadline.rest(),
  );
  return new Map(found.map((row) => [row.id, row]));
}

/** Ids of sessions with a request in the scope. */
export async function sessionsWith(
  database: Database,
  requested: Scope,
  deadline: Deadline,
): Promise<ReadonlySet<Key>> {
  const query = { groupBy: ["session"], timeBucket: undefined, measures: {} };
  const aggregates = await fromBlocks(database, requested, query, deadline);
  if (aggregates !== undefined) {
    const keys = [...aggregates.groups()].map((group) => aggregates.keysOf(group)[0] ?? null);
    return new Set(keys.filter((key) => key !== null));
  }
  const { scope, source } = await withoutBodies(database, requested, deadline);
  return distinctSessions(database, selectRecords(scope, SESSION_IDS, EMPTY, { source, where: HAS_SESSION }), deadline);
}

/** Ids of the sessions of these records. */
export async function sessionsOf(
  database: Database,
  { organizationId }: Scope,
  keys: readonly RecordKey[],
  deadline: Deadline,
): Promise<ReadonlySet<Key>> {
  const seqs = seqsOf(keys);
  const ids = JSON.stringify(keys.map(({ requestId }) => requestId));
  const statement = selectRecords({ organizationId, tree: ALL }, SESSION_IDS, EMPTY, {
    source: seqs === undefined ? PLANNED : { kind: "rows", seqs },
    where:
      seqs === undefined ? sql`${HAS_SESSION} and r.request_id in (select value from json_each(${ids}))` : HAS_SESSION,
  });
  return distinctSessions(database, statement, deadline);
}

const SESSION_IDS = raw(`distinct ${GROUPS["session"]} as id`);
const HAS_SESSION = raw(`${GROUPS["session"]} is not null`);

async function distinctSessions(
  database: Database,
  statement: ReturnType<typeof selectRecords>,
  deadline: Deadline,
): Promise<ReadonlySet<Key>> {
  const rows = await database.query<{ id: string }>(statement, deadline.rest());
  return new Set(rows.map(({ id }) => id));
}
