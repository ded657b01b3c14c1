export const CACHE_INDEX = [
  `create index requests_cache on requests (organization_id, cached, outcome, cache_reference_id)
    where cache_enabled = 1`,
];
