import { bucketSql, type TimeBucket } from "../../../filter/group-by.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { raw, sql } from "../../../filter/sql.ts";
import { dollars } from "../../../record/dollars.ts";
import { isoTime } from "../../../record/iso-time.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { CacheStatistics } from "../../aggregates.ts";
import { withoutBodies } from "../find/find.ts";

/** Cache statistics of one organization over all its records. */
export async function cacheStatistics(
  database: Database,
  organizationId: string,
  deadline: Deadline,
): Promise<CacheStatistics> {
  // `outcome` is null while a request is in flight: it may still become a hit.
  const text = `
    select counted.hits, counted.misses, saved.saved_cost, saved.saved_tokens
    from (select count(*) filter (where cached = 1) as hits, count(*) filter (where cached = 0) as misses
        from requests where organization_id = ? and cache_enabled = 1 and outcome is not null and outcome not in ('refused', 'failed')
      ) as counted,
      (select total(source.cost) as saved_cost, total(source.total_tokens) as saved_tokens
        from requests as hit join requests as source
          on source.request_id = hit.cache_reference_id and source.organization_id = hit.organization_id
        where hit.organization_id = ? and hit.cache_enabled = 1 and hit.cached = 1
      ) as saved`;
  const [row] = await database.query<CacheStatistics>(
    { sql: text, args: [organizationId, organizationId] },
    deadline.rest(),
  );
  return { ...row!, saved_cost: dollars(row!.saved_cost) };
}

/** Maximum buckets in one response. */
const BUCKETS_MAX = 10_000;

/** Cache results of the requests of a scope by time; buckets without cache requests are omitted. */
export async function cacheSeries(database: Database, requested: Scope, timeBucket: TimeBucket, deadline: Deadline) {
  const { scope, source } = await withoutBodies(database, requested, deadline);
  // Looks up the repeated response by id: one index step for each hit.
  const repeated = (column: string) => `(select source.${column} from requests as source
    where r.cached = 1 and source.request_id = r.cache_reference_id and source.organization_id = r.organization_id)`;
  const statement = selectRecords(
    scope,
    raw(`${bucketSql(timeBucket)} as time,
      count(*) filter (where r.cached = 1) as hits, count(*) filter (where r.cached = 0) as misses,
      total(${repeated("cost")}) as saved_cost, total(${repeated("total_tokens")}) as saved_tokens`),
    raw(`group by time order by time limit ${BUCKETS_MAX}`),
    {
      source,
      where: sql`r.cache_enabled = 1 and r.outcome is not null and r.outcome not in ('refused', 'failed')`,
    },
  );
  const rows = await database.query<CacheStatistics & { readonly time: number }>(statement, deadline.rest());
  return rows.map((row) => ({ ...row, saved_cost: dollars(row.saved_cost), time: isoTime(row.time) }));
}
