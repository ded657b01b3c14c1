/**
 * Pages are ordered by creation time, then by id. The few rows of the same millisecond are sorted when read: an id in every
 * index entry would take more space than everything else in it.
 */
export const SHORT_INDEXES = [
  "drop index requests_created",
  "create index requests_created on requests (organization_id, request_created_at)",
  "drop index requests_users",
  `create index requests_users on requests (organization_id, user_id, request_created_at)
    where user_id is not null`,
];
