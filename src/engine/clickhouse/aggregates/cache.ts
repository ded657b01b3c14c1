import type { TimeBucket } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { ALL } from "../../../filter/tree.ts";
import { dollars } from "../../../record/dollars.ts";
import { isoTime } from "../../../record/iso-time.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { CacheStatistics } from "../../aggregates.ts";
import type { ReaderOptions } from "../records.ts";
import { bucketSql } from "./groups.ts";
import { rowsOf } from "./record-rows.ts";
import { costSum } from "./sums.ts";

/** Maximum buckets in one response. */
const BUCKETS_MAX = 10_000;

/** Requests that were looked up in the cache and neither refused nor failed; unknown for those in flight. */
const WAS_LOOKED_UP = "r.cache_enabled = 1 and r.outcome is not null and r.outcome not in ('refused', 'failed')";

interface Found {
  readonly time: number;
  readonly hits: number;
  readonly misses: number;
  readonly saved_cost: number;
  readonly saved_tokens: number;
}

/** Cache statistics of one organization over all its records. */
export async function cacheStatistics(options: ReaderOptions, organizationId: string, deadline: Deadline) {
  const scope: Scope = { organizationId, tree: ALL };
  const [row] = await summed(
    options,
    scope,
    { time: "0", counts: WAS_LOOKED_UP, rows: "r.cache_enabled = 1" },
    deadline,
  );
  return shown(row ?? { time: 0, hits: 0, misses: 0, saved_cost: 0, saved_tokens: 0 });
}

/** Cache hits and misses of a scope by time. Buckets without cache requests are omitted. */
export async function cacheSeries(options: ReaderOptions, scope: Scope, timeBucket: TimeBucket, deadline: Deadline) {
  const lookups = { time: bucketSql(timeBucket), counts: "1", rows: WAS_LOOKED_UP };
  const rows = await summed(options, scope, lookups, deadline);
  return rows.map((row) => ({ ...shown(row), time: isoTime(row.time) }));
}

interface Counted {
  /** SQL of the bucket. */
  readonly time: string;
  /** SQL condition for rows that count as hits or misses; savings of hits are added up over all rows. */
  readonly counts: string;
  readonly rows: string;
}

/** Groups hits by the record that they repeat first, so that each of those is looked up once. */
async function summed(
  options: ReaderOptions,
  scope: Scope,
  { time, counts, rows }: Counted,
  deadline: Deadline,
): Promise<Found[]> {
  const ofScope = await rowsOf(options, scope, deadline);
  const ofAll = await rowsOf(options, { organizationId: scope.organizationId, tree: ALL }, deadline);
  const gathered = `${ofScope.select(
    `${time} as time, r.cache_reference_id as id, countIf(r.cached = 1 and ${counts}) as hits,
      countIf(r.cached = 0 and ${counts}) as misses, countIf(r.cached = 1) as repeats`,
    rows,
  )} group by time, id`;
  const isRepeated = `r.request_id global in (${ofScope.select(
    "r.cache_reference_id as id",
    `${rows} and r.cached = 1 and r.cache_reference_id is not null`,
  )})`;
  return ofScope.ask<Found>(
    `select h.time as time, sum(h.hits) as hits, sum(h.misses) as misses,
        ${costSum("ifNull(s.cost, 0) * h.repeats")} as saved_cost, sum(toFloat64(ifNull(s.tokens, 0)) * h.repeats) as saved_tokens
      from (${gathered}) as h
      global left join (${ofAll.select("r.request_id as id, r.cost as cost, r.total_tokens as tokens", isRepeated)}) as s
        on s.id = h.id
      group by time order by time limit ${BUCKETS_MAX}`,
    deadline,
  );
}

const shown = ({ hits, misses, saved_cost, saved_tokens }: Found): CacheStatistics => ({
  hits,
  misses,
  saved_cost: dollars(saved_cost),
  saved_tokens,
});
