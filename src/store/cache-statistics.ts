import type { Deadline } from "./deadline.ts";
import type { Database } from "./store.ts";

export interface CacheStatistics {
  readonly hits: number;
  /** Requests that asked the cache and went to their provider. */
  readonly misses: number;
  /** US dollars that the repeated answers cost when they were made. */
  readonly saved_cost: number;
  readonly saved_tokens: number;
}

/** What the cache did for one organization, over all its records. */
export async function cacheStatistics(
  database: Database,
  organizationId: string,
  deadline: Deadline,
): Promise<CacheStatistics> {
  // `outcome` is null while a request is in flight: it may still become a hit.
  const sql = `
    select counted.hits, counted.misses, saved.saved_cost, saved.saved_tokens
    from (select count(*) filter (where cached = 1) as hits, count(*) filter (where cached = 0) as misses
        from requests where organization_id = ? and cache_enabled = 1 and outcome is not null and outcome <> 'refused'
      ) as counted,
      (select total(source.cost) as saved_cost, cast(total(source.total_tokens) as integer) as saved_tokens
        from requests as hit join requests as source
          on source.request_id = hit.cache_reference_id and source.organization_id = hit.organization_id
        where hit.organization_id = ? and hit.cache_enabled = 1 and hit.cached = 1
      ) as saved`;
  const [row] = await database.query<CacheStatistics>({ sql, args: [organizationId, organizationId] }, deadline.rest());
  return row!;
}
