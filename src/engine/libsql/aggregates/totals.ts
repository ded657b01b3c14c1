import { PLANNED, type Source } from "../../../filter/access-path.ts";
import { GROUPS } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { raw, sql } from "../../../filter/sql.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { Key, ListOptions, Order } from "../../aggregates.ts";
import { ERRORS, REFUSALS } from "../column-store/block-aggregates.ts";
import type { GroupAggregates, Measures } from "../column-store/group-aggregates.ts";
import { withoutBodies } from "../find/find.ts";
import { fromBlocks, iso, sumOfDollars, sumsOf, TOTALS } from "./from-blocks.ts";
import { inOrder } from "./order-rows.ts";

type Row = Readonly<Record<string, Key>>;

interface UsersQuery {
  readonly order: Order;
  readonly page: ListOptions;
}

/** Metrics of each user; `order` has names of `USER_SORTS`. */
export async function users(database: Database, scope: Scope, { order, page }: UsersQuery, deadline: Deadline) {
  const rows = await totalsBy(database, scope, { ...USERS, order: [...order, ["user_id", "asc"]], page }, deadline);
  return rows.map((row) => ({
    ...row,
    cost: sumOfDollars(row["cost"]),
    first_active: iso(row["first_active"]),
    last_active: iso(row["last_active"]),
  }));
}

export interface Subject {
  /** A name in `GROUPS`. */
  readonly name: "user" | "session";
  /** Names of the result columns: the id, and the times of the first and the last request. */
  readonly id: string;
  readonly first: string;
  readonly last: string;
}

const USERS: Subject = { name: "user", id: "user_id", first: "first_active", last: "last_active" };

interface TotalsQuery extends Subject {
  readonly order: Order;
  readonly page: ListOptions;
  /** Only these ids. */
  readonly among?: ReadonlySet<Key> | undefined;
}

/** Up to this many ids are looked up by index. */
const FEW_IDS = 2_000;

/** Totals of everything with an id, including failed and refused requests; nulls last. */
export async function totalsBy(
  database: Database,
  requested: Scope,
  query: TotalsQuery,
  deadline: Deadline,
): Promise<Row[]> {
  const { name, among } = query;
  const areFew = among !== undefined && among.size <= FEW_IDS;
  if (areFew) return readTotals(database, { scope: requested, source: PLANNED }, query, deadline);
  const measures: Measures = { tokens: true, activity: true, outcomes: true };
  const grouping = { groupBy: [name], timeBucket: undefined, measures };
  const aggregates = await fromBlocks(database, requested, grouping, deadline);
  if (aggregates !== undefined) return totalsIn(aggregates, query);
  return readTotals(database, await withoutBodies(database, requested, deadline), query, deadline);
}

function totalsIn(aggregates: GroupAggregates, query: TotalsQuery): Row[] {
  const { id, first, last, order, page } = query;
  const rows = topGroups(aggregates, query).map((group) => {
    const activity = aggregates.activityOf(group);
    return {
      [id]: aggregates.keysOf(group)[0]!,
      requests: aggregates.requestsOf(group),
      ...countsOf(aggregates.outcomesOf(group)),
      ...sumsOf(aggregates, group),
      [first]: activity.first,
      [last]: activity.last,
    };
  });
  return inOrder(rows, order, page);
}

/** Adds up the rows of the records. */
async function readTotals(
  database: Database,
  { scope, source }: { readonly scope: Scope; readonly source: Source },
  { name, id, first, last, order, page, among }: TotalsQuery,
  deadline: Deadline,
): Promise<Row[]> {
  const column = raw(GROUPS[name]!);
  const isCounted = name === "user" || order.some(([key]) => key === "errors" || key === "refused");
  const totals = [
    id,
    "count(*) as requests",
    ...(isCounted ? [COUNTS] : []),
    TOTALS,
    `min(r.request_created_at) as ${first}`,
    `max(r.request_created_at) as ${last}`,
  ];
  const keys = order.map((key) => `${key.join(" ")} nulls last`);
  const statement = selectRecords(
    scope,
    // The totals of a session come from an index; the counts, which are not in it, are looked up only for the page.
    sql`${column} as ${raw(totals.join(", "))}`,
    sql`group by ${column} order by ${raw(keys.join(", "))} limit ${page.limit} offset ${page.offset}`,
    {
      source,
      where:
        among === undefined
          ? sql`${raw(name === "user" ? "+" : "")}${column} is not null`
          : sql`${column} in (select value from json_each(${JSON.stringify([...among])}))`,
    },
  );
  const rows = await database.query<Row>(statement, deadline.rest());
  if (isCounted) return rows;
  const ids = JSON.stringify(rows.map((row) => row[id] ?? null));
  const counts = selectRecords(scope, sql`${column} as ${raw(`${id}, ${COUNTS}`)}`, sql`group by ${column}`, {
    source,
    where: sql`${column} in (select value from json_each(${ids}))`,
  });
  const found = await database.query<Row>(counts, deadline.rest());
  const byId = new Map(found.map((row) => [row[id], row]));
  return rows.map(({ requests = 0, ...row }) => {
    const { errors = 0, refused = 0 } = byId.get(row[id]) ?? {};
    return { [id]: row[id] ?? null, requests, errors, refused, ...row };
  });
}

/** Failed requests of a group, and those that the gateway refused. */
const COUNTS = `${ERRORS} as errors, ${REFUSALS} as refused`;

const countsOf = ({ errors, refused }: { errors: number; refused: number }) => ({ errors, refused });

/**
 * The groups that can be on the page by the first sort key, including ties: of many thousands of sessions only a few become
 * rows.
 */
function topGroups(aggregates: GroupAggregates, { id, first, last, order, page, among }: TotalsQuery): number[] {
  const groups = [...aggregates.groups()].filter((group) => {
    const key = aggregates.keysOf(group)[0]!;
    return key !== null && (among === undefined || among.has(key));
  });
  const [name, direction] = order[0]!;
  const count = page.offset + page.limit;
  if (name === id || groups.length <= count || count === 0) return groups;
  const keyOf = (group: number): number | null => {
    if (name === "requests") return aggregates.requestsOf(group);
    if (name === "errors" || name === "refused") return aggregates.outcomesOf(group)[name];
    if (name === first) return aggregates.activityOf(group).first;
    if (name === last) return aggregates.activityOf(group).last;
    return aggregates.sums[name as keyof GroupAggregates["sums"]].of(group);
  };
  const sign = direction === "asc" ? 1 : -1;
  const values = Float64Array.from(groups, (group) => {
    const value = keyOf(group);
    return value === null ? Number.POSITIVE_INFINITY : value * sign;
  });
  const limit = Float64Array.from(values).sort()[count - 1]!;
  return groups.filter((_, at) => values[at]! <= limit);
}
