import {
  type GroupBy,
  type GroupName,
  groupClause,
  groupColumns,
  groupNames,
  PROPERTY_PREFIX,
  TIME_BUCKETS,
} from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { raw, sql } from "../../../filter/sql.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import { GroupAggregates, type GroupRow, type Measures, RANKED, type RankedName, REFUSED } from "./group-aggregates.ts";
import { byNumber, byProperty, byText, byTime, type Dimension } from "./groups.ts";
import { askBlocks } from "./read.ts";

const DIMENSIONS: Readonly<Record<GroupName, Dimension>> = {
  model: byText("model"),
  provider: byText("provider"),
  user: byText("user_id"),
  status: byNumber("response_status"),
  outcome: byText("outcome"),
  finish_reason: byText("finish_reason"),
  error_code: byText("error_code"),
  key: byText("gateway_user"),
  prompt: byText("prompt_id"),
  prompt_version: byText("prompt_version"),
  route: byText("route"),
  credential: byText("credential"),
  session: byText("session_id"),
};

/** Metrics of a scope by group from blocks; undefined when the records are faster or required. */
export async function blockAggregates(
  database: Database,
  scope: Scope,
  query: GroupBy & { readonly measures: Measures },
  deadline: Deadline,
): Promise<GroupAggregates | undefined> {
  const dimensions = dimensionsOf(query);
  const names = groupNames(query);
  let aggregates = new GroupAggregates(dimensions, query.measures);
  const isDone = await askBlocks<GroupRow>(database, scope, deadline, (source) => ({
    outside: selectRecords(
      scope,
      sql`${groupColumns(query)} ${raw(sumsSql(query.measures))}`,
      raw(groupClause(query)),
      { source },
    ),
    begin: (rows) => {
      aggregates = new GroupAggregates(dimensions, query.measures);
      for (const row of rows)
        if (row.requests > 0)
          aggregates.addRow(
            names.map((name) => row[name] ?? null),
            row,
          );
    },
    addBlock: (view, mask) => aggregates.addBlock(view, mask),
  }));
  return isDone ? aggregates : undefined;
}

function dimensionsOf({ groupBy, timeBucket }: GroupBy): Dimension[] {
  const dimensions = groupBy.map((name) =>
    name.startsWith(PROPERTY_PREFIX) ? byProperty(name.slice(PROPERTY_PREFIX.length)) : DIMENSIONS[name as GroupName],
  );
  return timeBucket === undefined ? dimensions : [...dimensions, byTime(TIME_BUCKETS[timeBucket])];
}

function sumsSql({ tokens, outcomes, latencies, speeds, activity }: Measures): string {
  return [
    "count(*) as requests, sum(r.cost) as cost",
    ...(tokens
      ? ["prompt_tokens", "completion_tokens", "total_tokens"].map((name) => `sum(r.${name} + 0.0) as ${name}`)
      : []),
    ...(outcomes ? [OUTCOMES] : []),
    ...(latencies ? [LATENCIES] : []),
    ...(speeds ? [SPEEDS] : []),
    ...(activity ? ["min(r.request_created_at) as first, max(r.request_created_at) as last"] : []),
  ].join(", ");
}

/** A request that the gateway itself refused is not an error of the provider, whatever its status. */
export const ERRORS = `total(r.response_status >= 400 and r.outcome is not '${REFUSED}')`;
export const REFUSALS = `total(r.outcome is '${REFUSED}')`;
export const OUTCOMES = `${ERRORS} as errors, ${REFUSALS} as refused, total(r.cached) as cache_hits`;

/** All values of a group as the items of a JSON array, without brackets; null when there are none. */
const gathered = (sql: string, where: string, name: RankedName) =>
  `group_concat(printf('%!.17g', ${sql})) filter (where ${where}) as ${RANKED[name]}`;
export const LATENCIES = gathered("r.delay_ms", "r.delay_ms is not null", "latencies");
export const SPEEDS = [
  gathered("r.time_to_first_token", "r.time_to_first_token is not null", "firsts"),
  gathered(
    "r.completion_tokens * 1000.0 / (r.delay_ms - r.time_to_first_token)",
    "r.delay_ms > r.time_to_first_token and r.completion_tokens > 0",
    "rates",
  ),
].join(", ");
