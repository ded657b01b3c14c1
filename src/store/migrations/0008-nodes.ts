/** State shared by several programs on one database. In a local database these tables are empty. */
export const NODES = [
  `create table nodes (
    id text primary key not null,
    run text not null,
    started_at integer not null,
    seen_at integer not null
  )`,
  `create table leases (
    name text primary key not null,
    holder text not null,
    until integer not null
  )`,
  `create table sequences (
    name text primary key not null,
    next integer not null
  )`,
  `create table claimed_ids (
    id text primary key not null,
    claimed_at integer not null
  )`,
  "create index claimed_ids_at on claimed_ids (claimed_at)",
  `create table shares (
    limit_key text not null,
    node text not null,
    amount real not null,
    until integer not null,
    primary key (limit_key, node)
  )`,
  "create index shares_until on shares (until)",
];
