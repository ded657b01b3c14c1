import { setImmediate as nextTurn } from "node:timers/promises";
import { groupClause, groupColumns, groupNames } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { raw, sql } from "../../../filter/sql.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { Key, MetricsQuery } from "../../aggregates.ts";
import { LATENCIES, OUTCOMES, SPEEDS } from "../column-store/block-aggregates.ts";
import {
  type GroupAggregates,
  type Measures,
  type RankedName,
  rankedValues,
} from "../column-store/group-aggregates.ts";
import { ALL_RECORDS } from "../column-store/groups.ts";
import { percentiles } from "../column-store/percentiles.ts";
import { withoutBodies } from "../find/find.ts";
import { fromBlocks, iso, sumOfDollars, sumsOf, TOTALS } from "./from-blocks.ts";
import { inOrder, type OrderKey } from "./order-rows.ts";
import { scoreColumns, shownScores } from "./score-columns.ts";

type Row = Readonly<Record<string, Key>>;

/** The ranked measures, their names in a response, and the percentiles shown. */
const PERCENTILES: Readonly<Record<RankedName, readonly [name: string, percentages: readonly number[]]>> = {
  latencies: ["latency", [50, 90, 95, 99]],
  firsts: ["time_to_first_token", [50, 95]],
  rates: ["tokens_per_second", [50, 95]],
};

/** The measures that a query ranks. */
const rankedBy = ({ latencies = true, speeds = false }: MetricsQuery): readonly RankedName[] => [
  ...(latencies ? (["latencies"] as const) : []),
  ...(speeds ? (["firsts", "rates"] as const) : []),
];

const percentileName = (name: RankedName, percentage: number) => `${PERCENTILES[name][0]}_p${percentage}`;

/**
 * Metrics of the records of a scope, by group and time. Latencies are milliseconds; a percentile is a measured latency
 * (nearest rank).
 */
export async function metrics(database: Database, scope: Scope, query: MetricsQuery, deadline: Deadline) {
  const names = groupNames(query);
  const order: OrderKey[] = [
    ...(query.timeBucket === undefined ? [] : [["time", "asc"] as const]),
    ["requests", "desc"],
    ...names.map((name) => [name, "asc"] as const),
  ];
  const measures: Measures = {
    tokens: true,
    outcomes: true,
    ...(query.latencies === false ? {} : { latencies: true }),
    ...(query.speeds === true ? { speeds: true } : {}),
  };
  const hasScores = query.scores !== undefined && query.scores.length > 0;
  // Blocks have no scores.
  const aggregates = hasScores ? undefined : await fromBlocks(database, scope, { ...query, measures }, deadline);
  if (aggregates === undefined) return metricsOfRecords(database, scope, query, { order, deadline });
  const rows = [...aggregates.groups()].map((group) => ({
    group,
    ...named(names, aggregates.keysOf(group)),
    requests: aggregates.requestsOf(group),
  }));
  if (rows.length === 0 && names.length === 0) rows.push({ group: ALL_RECORDS, requests: 0 });
  const page = inOrder(rows, order, { ...query, nullsLast: false });
  const ranks = await ranksOf(
    aggregates,
    page.map(({ group }) => group),
    rankedBy(query),
  );
  return page.map((row) => {
    const { group } = row;
    const { cacheHits, ...outcomes } = aggregates.outcomesOf(group);
    const aggregatesRow = {
      ...row,
      ...sumsOf(aggregates, group),
      ...outcomes,
      cache_hits: cacheHits,
      latency_avg: query.latencies !== false ? aggregates.ranked.latencies.averageOf(group) : null,
    };
    return metricsRow(aggregatesRow, query, ranks.get(group) ?? {});
  });
}

type Ranks = Readonly<Record<string, number | null>>;

/** Percentiles of each group by name. */
async function ranksOf(
  aggregates: GroupAggregates,
  groups: readonly number[],
  measured: readonly RankedName[],
): Promise<ReadonlyMap<number, Ranks>> {
  const ranks = new Map<number, Record<string, number | null>>(groups.map((group) => [group, {}]));
  for (const name of measured) {
    const [, percentages] = PERCENTILES[name];
    for (const [group, values] of await aggregates.ranked[name].percentiles(groups, percentages)) {
      for (const [at, percentage] of percentages.entries())
        ranks.get(group)![percentileName(name, percentage)] = values[at] ?? null;
    }
  }
  return ranks;
}

/**
 * The same from the records. The database returns all latencies of the groups shown, which are ranked here: SQLite's window
 * functions take five times as long.
 */
async function metricsOfRecords(
  database: Database,
  requested: Scope,
  query: MetricsQuery,
  { order, deadline }: { readonly order: readonly OrderKey[]; readonly deadline: Deadline },
) {
  const { scope, source } = await withoutBodies(database, requested, deadline);
  const measures = [
    "count(*) as requests",
    OUTCOMES,
    TOTALS,
    ...(query.latencies !== false ? ["avg(r.delay_ms) as latency_avg", LATENCIES] : []),
    ...(query.speeds === true ? [SPEEDS] : []),
  ];
  const keys = order.map((key) => key.join(" "));
  const statement = selectRecords(
    scope,
    sql`${groupColumns(query)} ${raw(measures.join(", "))}${scoreColumns(query.scores ?? [])}`,
    sql`${raw(`${groupClause(query)} order by ${keys.join(", ")}`)} limit ${query.limit} offset ${query.offset}`,
    { source },
  );
  const rows = await database.query<Row>(statement, deadline.rest());
  const shown = [];
  for (const row of rows) {
    const ranks: Record<string, number | null> = {};
    for (const name of rankedBy(query)) {
      const [, percentages] = PERCENTILES[name];
      const values = percentiles(rankedValues(row[name]), percentages);
      for (const [at, percentage] of percentages.entries())
        ranks[percentileName(name, percentage)] = values[at] ?? null;
    }
    shown.push(metricsRow(row, query, ranks));
    // Ranking many latencies takes time; other work on this thread gets a turn between groups.
    if (String(row["latencies"] ?? "").length > LATENCIES_CHARS) await nextTurn();
  }
  return shown;
}

/** Characters of about 10,000 latencies as text. */
const LATENCIES_CHARS = 100_000;

function metricsRow(row: Row, { groupBy, timeBucket, latencies = true, scores }: MetricsQuery, ranks: Ranks) {
  const keys = Object.fromEntries(groupBy.map((name, index) => [name, row[`g${index}`] ?? null]));
  return {
    ...keys,
    ...(timeBucket === undefined ? {} : { time: iso(row["time"]) }),
    requests: row["requests"],
    errors: row["errors"],
    refused: row["refused"],
    error_rate: errorRate(row),
    cache_hits: row["cache_hits"],
    cost: sumOfDollars(row["cost"]),
    prompt_tokens: row["prompt_tokens"],
    completion_tokens: row["completion_tokens"],
    total_tokens: row["total_tokens"],
    ...(latencies ? { latency_avg: row["latency_avg"] } : {}),
    ...ranks,
    ...(scores === undefined ? {} : { scores: shownScores(row, scores) }),
  };
}

/** Error rate of the requests that the gateway did not refuse; null when there are none. */
function errorRate({ requests, refused, errors }: Row): number | null {
  const admitted = Number(requests) - Number(refused);
  return admitted > 0 ? Number(errors) / admitted : null;
}

function named(names: readonly string[], keys: readonly Key[]): Row {
  return Object.fromEntries(names.map((name, at) => [name, keys[at] ?? null]));
}
