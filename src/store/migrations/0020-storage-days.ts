/**
 * Number and transferred bytes of records per day and organization, so that listing them does not read all records. Records
 * up to the number in `storage_counted` are included (`store/sizes/sums.ts`).
 */
export const STORAGE_DAYS = [
  `create table storage_days (
    day integer not null,
    organization_id text not null,
    records integer not null,
    bytes integer not null,
    primary key (day, organization_id)
  ) without rowid`,
  `create table storage_counted (
    id integer primary key not null,
    seq integer not null
  )`,
  "insert into storage_counted (id, seq) values (1, 0)",
];
