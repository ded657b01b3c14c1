import { groupNames } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { MetricsQuery, MetricsRow } from "../../aggregates.ts";
import type { ReaderOptions } from "../records.ts";
import { groupClause, groupColumns, scoreSql } from "./groups.ts";
import { rowsOf } from "./record-rows.ts";
import { COUNTS, iso, meanOf, type Row, sumsOf, TOTALS } from "./sums.ts";

/** A ranked measure: its name in a response, its percentiles, and SQL of its value, null when unknown. */
interface Measure {
  readonly name: string;
  readonly percentages: readonly number[];
  readonly sql: string;
}

const LATENCY: Measure = { name: "latency", percentages: [50, 90, 95, 99], sql: "r.delay_ms" };
const SPEEDS: readonly Measure[] = [
  { name: "time_to_first_token", percentages: [50, 95], sql: "r.time_to_first_token" },
  {
    name: "tokens_per_second",
    percentages: [50, 95],
    sql: `if(r.delay_ms > r.time_to_first_token and r.completion_tokens > 0,
      r.completion_tokens * 1000. / (r.delay_ms - r.time_to_first_token), null)`,
  },
];

/** Metrics of the records of a scope, by group and time. */
export async function metrics(
  options: ReaderOptions,
  scope: Scope,
  query: MetricsQuery,
  deadline: Deadline,
): Promise<readonly MetricsRow[]> {
  const { latencies = true, speeds = false, scores = [] } = query;
  const measures = [...(latencies ? [LATENCY] : []), ...(speeds ? SPEEDS : [])];
  const order = [
    ...(query.timeBucket === undefined ? [] : ["time"]),
    "requests desc",
    ...groupNames(query).map((name) => `${name} nulls first`),
  ];
  const inner = [
    `${groupColumns(query)} count() as requests, ${COUNTS}, sum(r.cached) as cache_hits, ${TOTALS}`,
    ...(latencies ? ["avg(r.delay_ms) as latency_avg"] : []),
    ...measures.map(({ name, sql }) => `groupArray(${sql}) as all_${name}`),
    ...scores.flatMap(scoreColumns),
  ].join(", ");
  const ranked = measures.flatMap(({ name, percentages }) =>
    percentages.map((percentage) => `${rankSql(`arraySort(all_${name})`, percentage)} as ${name}_p${percentage}`),
  );
  const lists = measures.map(({ name }) => `all_${name}`).join(", ");
  const records = await rowsOf(options, scope, deadline);
  const rows = await records.ask<Row>(
    // Sorts values only for the groups shown, not for all.
    `select ${[lists === "" ? "*" : `* except (${lists})`, ...ranked].join(", ")}
      from (${records.select(inner)} ${groupClause(query)} order by ${order.join(", ")} limit ${query.limit} offset ${query.offset})
      order by ${order.join(", ")}`,
    deadline,
  );
  return rows.map((row) => metricsRow(row, query, measures));
}

/**
 * SQL of a percentile (nearest rank) of an ascending list; null for an empty list. Uses integers: 0.95 * 20 is slightly more
 * than 19 in floating point.
 */
const rankSql = (list: string, percentage: number) =>
  `if(empty(${list}), null, ${list}[intDiv(length(${list}) * ${percentage} + 99, 100)])`;

function scoreColumns(name: string, index: number): string[] {
  const value = scoreSql(name);
  return Object.entries(SCORE_MEASURES).map(([measure, sqlOf]) => `${sqlOf(value)} as s${index}_${measure}`);
}

const SCORE_MEASURES = {
  count: (value: string) => `count(${value})`,
  mean: meanOf,
  min: (value: string) => `min(${value})`,
  max: (value: string) => `max(${value})`,
} as const;

function metricsRow(row: Row, query: MetricsQuery, measures: readonly Measure[]): MetricsRow {
  const { groupBy, timeBucket, latencies = true, scores } = query;
  const keys = Object.fromEntries(groupBy.map((name, index) => [name, row[`g${index}`] ?? null]));
  const admitted = Number(row["requests"]) - Number(row["refused"]);
  const ranks = measures.flatMap(({ name, percentages }) => percentages.map((each) => `${name}_p${each}`));
  return {
    ...keys,
    ...(timeBucket === undefined ? {} : { time: iso(row["time"]) }),
    requests: row["requests"],
    errors: row["errors"],
    refused: row["refused"],
    // Over the requests that the gateway did not refuse; null when there are none.
    error_rate: admitted > 0 ? Number(row["errors"]) / admitted : null,
    cache_hits: row["cache_hits"],
    ...sumsOf(row),
    ...(latencies ? { latency_avg: row["latency_avg"] ?? null } : {}),
    ...Object.fromEntries(ranks.map((name) => [name, row[name] ?? null])),
    ...(scores === undefined ? {} : { scores: scoresOf(row, scores) }),
  };
}

function scoresOf(row: Row, names: readonly string[]) {
  const measure = (index: number, name: keyof typeof SCORE_MEASURES) =>
    (row[`s${index}_${name}`] ?? null) as number | null;
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        count: measure(index, "count") ?? 0,
        mean: measure(index, "mean"),
        min: measure(index, "min"),
        max: measure(index, "max"),
      },
    ]),
  );
}
