import { setImmediate as nextTurn } from "node:timers/promises";
import { type Scope, selectRecords } from "../../filter/select.ts";
import { LATENCIES, OUTCOMES } from "../blocks/block-figures.ts";
import type { Measures } from "../blocks/figures.ts";
import { ALL_RECORDS, type Key } from "../blocks/groups.ts";
import { percentiles } from "../blocks/percentiles.ts";
import type { Deadline } from "../database/deadline.ts";
import { withoutBodies } from "../find/find.ts";
import type { Database } from "../store.ts";
import { fromBlocks, iso, type ListOptions, sumOfDollars, sumsOf, TOTALS } from "./from-blocks.ts";
import { type GroupBy, groupClause, groupColumns, groupNames } from "./group-by.ts";
import { inOrder, type OrderKey } from "./order-rows.ts";

interface MetricsQuery extends GroupBy, ListOptions {
  /** False leaves latencies out: ranking them takes most of the time. */
  readonly latencies?: boolean;
}

type Row = Readonly<Record<string, Key>>;

const PERCENTILES = [50, 90, 95, 99];

/**
 * Figures of the records of a scope, by group and time. Latencies are milliseconds; a percentile is the latency that at
 * least so many percent of the group do not exceed, one of those that were measured (nearest rank).
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
  };
  const figures = await fromBlocks(database, scope, { ...query, measures }, deadline);
  if (figures === undefined) return metricsOfRecords(database, scope, query, { order, deadline });
  const rows = [...figures.groups()].map((group) => ({
    group,
    ...named(names, figures.keysOf(group)),
    requests: figures.requestsOf(group),
  }));
  if (rows.length === 0 && names.length === 0) rows.push({ group: ALL_RECORDS, requests: 0 });
  const page = inOrder(rows, order, { ...query, nullsLast: false });
  const ranks =
    query.latencies !== false
      ? await figures.latencyPercentiles(
          page.map(({ group }) => group),
          PERCENTILES,
        )
      : undefined;
  return page.map((row) => {
    const { group } = row;
    const { cacheHits, ...outcomes } = figures.outcomesOf(group);
    const figuresRow = {
      ...row,
      ...sumsOf(figures, group),
      ...outcomes,
      cache_hits: cacheHits,
      latency_avg: query.latencies !== false ? figures.latencyAverageOf(group) : null,
    };
    return metricsRow(figuresRow, query, ranks?.get(group) ?? []);
  });
}

/**
 * The same from the records themselves. All latencies of the groups shown come out of the database and are ranked here:
 * SQLite's window functions take five times as long.
 */
async function metricsOfRecords(
  database: Database,
  asked: Scope,
  query: MetricsQuery,
  { order, deadline }: { readonly order: readonly OrderKey[]; readonly deadline: Deadline },
) {
  const { scope, source } = await withoutBodies(database, asked, deadline);
  const statement = selectRecords(
    scope,
    ({ bind }) =>
      `${groupColumns(query, bind)} count(*) as requests, ${OUTCOMES}, ${TOTALS}${
        query.latencies !== false ? `, avg(r.delay_ms) as latency_avg, ${LATENCIES}` : ""
      }`,
    ({ bind }) => `${groupClause(query)} order by ${order.map((key) => key.join(" ")).join(", ")}
      limit ${bind(query.limit)} offset ${bind(query.offset)}`,
    { source },
  );
  const rows = await database.query<Row>(statement, deadline.rest());
  const shown = [];
  for (const row of rows) {
    const latencies = row["latencies"] ?? "";
    const values = Float64Array.from(JSON.parse(`[${latencies}]`) as number[]);
    shown.push(metricsRow(row, query, percentiles(values, PERCENTILES)));
    // Ranking many latencies takes its time; between groups others get their turn.
    if (String(latencies).length > LATENCIES_CHARS) await nextTurn();
  }
  return shown;
}

/** Text of some 10,000 latencies. */
const LATENCIES_CHARS = 100_000;

function metricsRow(
  row: Row,
  { groupBy, timeBucket, latencies = true }: MetricsQuery,
  ranks: readonly (number | null)[],
) {
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
    ...(latencies
      ? {
          latency_avg: row["latency_avg"],
          ...Object.fromEntries(PERCENTILES.map((percent, index) => [`latency_p${percent}`, ranks[index] ?? null])),
        }
      : {}),
  };
}

/** Of the requests that the gateway did not refuse; null where there are none. */
function errorRate({ requests, refused, errors }: Row): number | null {
  const answered = Number(requests) - Number(refused);
  return answered > 0 ? Number(errors) / answered : null;
}

function named(names: readonly string[], keys: readonly Key[]): Row {
  return Object.fromEntries(names.map((name, at) => [name, keys[at] ?? null]));
}
