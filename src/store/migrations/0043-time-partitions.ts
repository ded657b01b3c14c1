/**
 * Entries of the index by user are ordered by a partition of time first: new records then change few of its pages. All records
 * so far belong to partition 0, in which the entries have the order that they had.
 */
export const TIME_PARTITIONS = [
  "create table time_partitions (id integer primary key not null, start integer not null)",
  "insert into time_partitions (id, start) values (0, -8640000000000000)",
  "alter table requests add column time_partition integer not null default 0",
  "drop index requests_users",
  `create index requests_users on requests (time_partition, organization_id, user_id, request_created_at)
    where user_id is not null`,
];
