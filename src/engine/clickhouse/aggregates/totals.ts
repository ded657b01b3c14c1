import type { Scope } from "../../../filter/scope.ts";
import { ALL } from "../../../filter/tree.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Key, ListOptions, Order, SessionsQuery, TotalsRow } from "../../aggregates.ts";
import { literal } from "../literal.ts";
import type { ReaderOptions } from "../records.ts";
import { rowsOf } from "./record-rows.ts";
import { COUNTS, columnOf, iso, type Row, sumsOf, TOTALS } from "./sums.ts";

/** The subject of totals: its id column, and the response's names for its first and last request. */
interface Subject {
  readonly id: "user_id" | "session_id";
  readonly first: string;
  readonly last: string;
}

const USERS: Subject = { id: "user_id", first: "first_active", last: "last_active" };
const SESSIONS: Subject = { id: "session_id", first: "created_at", last: "latest_request_created_at" };

interface TotalsQuery {
  readonly of: Subject;
  readonly order: Order;
  readonly page: ListOptions;
  readonly among?: ReadonlySet<Key> | undefined;
}

/** Totals of each user; `order` has names of `USER_SORTS`. */
export function users(
  options: ReaderOptions,
  scope: Scope,
  { order, page }: Pick<TotalsQuery, "order" | "page">,
  deadline: Deadline,
): Promise<readonly TotalsRow[]> {
  return totalsBy(options, scope, { of: USERS, order: [...order, ["user_id", "asc"]], page }, deadline);
}

/** Totals of each session, over the requests of the scope, with its name and users. */
export async function sessions(
  options: ReaderOptions,
  scope: Scope,
  { order, page, among }: SessionsQuery,
  deadline: Deadline,
): Promise<readonly TotalsRow[]> {
  if (among?.size === 0) return [];
  const query = { of: SESSIONS, order: [...order, ["session_id", "desc"] as const], page, among };
  const rows = await totalsBy(options, scope, query, deadline);
  const ids = rows.map(({ session_id }) => String(session_id));
  const known = await namesAndUsers(options, scope.organizationId, ids, deadline);
  return rows.map(({ session_id = null, ...totals }) => {
    const { name = null, users = [] } = known.get(String(session_id)) ?? {};
    return { session_id, session_name: name, users, ...totals };
  });
}

async function totalsBy(
  options: ReaderOptions,
  scope: Scope,
  { of: { id, first, last }, order, page, among }: TotalsQuery,
  deadline: Deadline,
): Promise<TotalsRow[]> {
  const isWanted = among === undefined ? `r.${id} is not null` : `r.${id} in (${[...among].map(literal).join(", ")})`;
  const records = await rowsOf(options, scope, deadline);
  const rows = await records.ask<Row>(
    `${records.select(
      `r.${id} as id, count() as requests, ${COUNTS}, ${TOTALS}, min(r.request_created_at) as ${first},
        max(r.request_created_at) as ${last}`,
      isWanted,
    )} group by id order by ${order.map(([name, way]) => `${name === id ? "id" : columnOf(name)} ${way} nulls last`).join(", ")}
      limit ${page.limit} offset ${page.offset}`,
    deadline,
  );
  return rows.map((row) => ({
    [id]: row["id"] ?? null,
    requests: row["requests"],
    errors: row["errors"],
    refused: row["refused"],
    ...sumsOf(row),
    [first]: iso(row[first]),
    [last]: iso(row[last]),
  }));
}

/** Number of newest requests of a session from which users are listed. */
const USERS_OF_NEWEST = 100;

/** The newest name and the users of a session, from all its requests, including those outside the scope. */
async function namesAndUsers(
  options: ReaderOptions,
  organizationId: string,
  ids: readonly string[],
  deadline: Deadline,
): Promise<ReadonlyMap<string, { readonly name: string | null; readonly users: readonly string[] }>> {
  if (ids.length === 0) return new Map();
  const records = await rowsOf(options, { organizationId, tree: ALL }, deadline);
  const rows = await records.ask<{ id: string; name?: string | null; newest: [number, string, string, number][] }>(
    `${records.select(
      `r.session_id as id, argMax(r.session_name, (r.request_created_at, r.request_id)) as name,
        groupArraySorted(${USERS_OF_NEWEST})((-r.request_created_at, r.request_id, ifNull(r.user_id, ''),
          r.user_id is null)) as newest`,
      `r.session_id in (${ids.map(literal).join(", ")})`,
    )} group by id`,
    deadline,
  );
  return new Map(
    rows.map(({ id, name = null, newest }) => {
      const users = newest.filter(([, , , isMissing]) => isMissing === 0).map(([, , user]) => user);
      return [id, { name, users: [...new Set(users)] }];
    }),
  );
}
