/**
 * Pages are in order of creation, and of id within a millisecond. The few rows of one millisecond are sorted as they are
 * read: an id in every entry of an index takes more than all the rest of it.
 */
export const SHORT_INDEXES = [
  "drop index requests_created",
  "create index requests_created on requests (organization_id, request_created_at)",
  "drop index requests_users",
  `create index requests_users on requests (organization_id, user_id, request_created_at)
    where user_id is not null`,
];
