import type { Bind } from "../filter/operators.ts";
import { propertySql } from "../filter/property-names.ts";
import { type Scope, selectRecords } from "../filter/select.ts";
import type { Deadline } from "./deadline.ts";
import { withoutBodies } from "./find.ts";
import type { Database } from "./store.ts";

/** Lengths of the buckets of time, in milliseconds. */
export const TIME_BUCKETS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type TimeBucket = keyof typeof TIME_BUCKETS;

/** What records can be grouped by, besides `property:<Name>`. */
export const GROUPS: Readonly<Record<string, string>> = {
  model: "r.model",
  provider: "r.provider",
  user: "r.user_id",
  status: "r.response_status",
  session: "r.session_id",
};

export const PROPERTY_PREFIX = "property:";

export interface MetricsQuery {
  /** Names of `GROUPS`, or `property:<Name>`. */
  readonly groupBy: readonly string[];
  readonly timeBucket: TimeBucket | undefined;
  readonly limit: number;
  readonly offset: number;
}

type Cell = string | number | null;

/** Sums that every kind of aggregate shows. Null where no record knows a value; over no records they are 0. */
export const TOTALS = ["cost", "prompt_tokens", "completion_tokens", "total_tokens"]
  .map((column) => `case when count(*) = 0 then 0 else sum(${column}) end as ${column}`)
  .join(", ");

const PERCENTILES = [50, 90, 95, 99];

/**
 * Figures of the records of a scope, by group and time. Latencies are milliseconds; a percentile is the latency that at
 * least so many percent of the group do not exceed, one of those that were measured (nearest rank).
 *
 * All latencies of the groups shown come out of the database and are sorted here: SQLite's window functions take five
 * times as long.
 */
export async function metrics(database: Database, asked: Scope, query: MetricsQuery, deadline: Deadline) {
  const { scope, source } = await withoutBodies(database, asked, deadline);
  const groups = query.groupBy.map((_, index) => `g${index}`);
  if (query.timeBucket !== undefined) groups.push("time");
  const order = [...(query.timeBucket === undefined ? [] : ["time"]), "requests desc", ...groups];
  const statement = selectRecords(
    scope,
    ({ bind }) => `${groupColumns(query, bind)} count(*) as requests, total(r.response_status >= 400) as errors,
      total(r.cached) as cache_hits, ${totalsOf("r")}, avg(r.delay_ms) as latency_avg,
      group_concat(printf('%!.17g', r.delay_ms)) filter (where r.delay_ms is not null) as latencies`,
    ({ bind }) => `${groups.length === 0 ? "" : `group by ${groups.join(", ")}`}
      order by ${order.join(", ")} limit ${bind(query.limit)} offset ${bind(query.offset)}`,
    { source },
  );
  const rows = await database.query<Record<string, Cell>>(statement, deadline.rest());
  const shown = [];
  for (const row of rows) {
    shown.push(metricsRow(row, query));
    // Sorting many latencies takes its time; between groups others get their turn.
    if (String(row["latencies"]).length > LATENCIES_CHARS) await new Promise((resolve) => setImmediate(resolve));
  }
  return shown;
}

/** Text of some 10,000 latencies. */
const LATENCIES_CHARS = 100_000;

/** SQL of the columns that rows are grouped by, each with a comma after it. */
function groupColumns({ groupBy, timeBucket }: MetricsQuery, bind: Bind): string {
  const columns = groupBy.map((name, index) => `${groupSql(name, bind)} as g${index},`);
  if (timeBucket !== undefined) {
    const length = TIME_BUCKETS[timeBucket];
    columns.push(`r.request_created_at - r.request_created_at % ${length} as time,`);
  }
  return columns.join(" ");
}

/** SQL of what a group is named by. */
export function groupSql(name: string, bind: Bind): string {
  if (!name.startsWith(PROPERTY_PREFIX)) return GROUPS[name]!;
  return propertySql(name.slice(PROPERTY_PREFIX.length), bind);
}

/** For each percentage the lowest latency that is not exceeded by so many of them, or null. */
function percentiles(latencies: Cell | undefined): Record<string, number | null> {
  const sorted = latencies == null ? [] : new Float64Array(JSON.parse(`[${latencies}]`)).sort();
  return Object.fromEntries(
    PERCENTILES.map((percent) => {
      // The product first: 0.95 * 20 is a little more than 19 in floating point, and would be rounded up to 20.
      const place = Math.ceil((sorted.length * percent) / 100);
      return [`latency_p${percent}`, sorted[place - 1] ?? null];
    }),
  );
}

function metricsRow(row: Readonly<Record<string, Cell>>, { groupBy, timeBucket }: MetricsQuery) {
  const named = Object.fromEntries(groupBy.map((name, index) => [name, row[`g${index}`] ?? null]));
  return {
    ...named,
    ...(timeBucket === undefined ? {} : { time: new Date(Number(row["time"])).toISOString() }),
    requests: row["requests"],
    errors: row["errors"],
    cache_hits: row["cache_hits"],
    cost: row["cost"],
    prompt_tokens: row["prompt_tokens"],
    completion_tokens: row["completion_tokens"],
    total_tokens: row["total_tokens"],
    latency_avg: row["latency_avg"],
    ...percentiles(row["latencies"]),
  };
}

export interface ListOptions {
  readonly limit: number;
  readonly offset: number;
}

export const USER_SORTS = [
  "user_id",
  "requests",
  "cost",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "first_active",
  "last_active",
];

/** Names to sort by, each with its direction. */
export type Order = readonly (readonly [string, "asc" | "desc"])[];

/** Figures of each user; `order` is names of `USER_SORTS`. */
export async function users(
  database: Database,
  asked: Scope,
  order: Order,
  { limit, offset }: ListOptions,
  deadline: Deadline,
) {
  const { scope, source } = await withoutBodies(database, asked, deadline);
  const keys = [...order, ["user_id", "asc"] as const].map(([name, direction]) => `${name} ${direction} nulls last`);
  const statement = selectRecords(
    scope,
    `r.user_id as user_id, count(*) as requests, ${totalsOf("r")}, min(r.request_created_at) as first_active, max(r.request_created_at) as last_active`,
    ({ bind }) => `group by r.user_id order by ${keys.join(", ")} limit ${bind(limit)} offset ${bind(offset)}`,
    { source, where: () => "+r.user_id is not null" },
  );
  const rows = await database.query<Record<string, Cell>>(statement, deadline.rest());
  return rows.map((row) => ({ ...row, first_active: iso(row["first_active"]), last_active: iso(row["last_active"]) }));
}

export const SESSION_SORTS = [
  "session_id",
  "requests",
  "cost",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "created_at",
  "latest_request_created_at",
];

/** Figures of each session; `order` is names of `SESSION_SORTS`. */
export async function sessions(
  database: Database,
  asked: Scope,
  order: Order,
  { limit, offset }: ListOptions,
  deadline: Deadline,
) {
  const { scope, source } = await withoutBodies(database, asked, deadline);
  const keys = [...order, ["r.session_id", "desc"] as const].map(
    ([name, direction]) => `${name} ${direction} nulls last`,
  );
  const statement = selectRecords(
    scope,
    `r.session_id as session_id, count(*) as requests, ${totalsOf("r")}, min(r.request_created_at) as created_at, max(r.request_created_at) as latest_request_created_at`,
    ({ bind }) => `group by r.session_id order by ${keys.join(", ")} limit ${bind(limit)} offset ${bind(offset)}`,
    { source, where: () => "r.session_id is not null" },
  );
  // The name is looked up for the page alone, so that the totals can be added up from an index.
  const organization = "?1";
  const sql = `with page as materialized (${statement.sql})
    select page.*, (select s.session_name from requests s where s.organization_id = ${organization}
      and s.session_id = page.session_id and s.session_name is not null order by s.request_created_at desc limit 1)
      as session_name from page`;
  const rows = await database.query<Record<string, Cell>>({ sql, args: statement.args }, deadline.rest());
  return rows.map(({ latest_request_created_at, created_at, session_id = null, session_name = null, ...totals }) => ({
    session_id,
    session_name,
    ...totals,
    created_at: iso(created_at),
    latest_request_created_at: iso(latest_request_created_at),
  }));
}

const totalsOf = (row: string) => TOTALS.replaceAll("sum(", `sum(${row}.`);

function iso(time: Cell | undefined): string {
  return new Date(Number(time)).toISOString();
}
