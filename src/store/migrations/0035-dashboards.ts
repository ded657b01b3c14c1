/** Saved dashboards. */
export const DASHBOARDS = [
  `create table dashboards (
    id text primary key not null,
    organization_id text not null,
    owner_id text not null,
    owner_name text not null,
    name text not null,
    shared integer not null,
    terms text not null,
    created_at integer not null,
    updated_at integer not null
  )`,
  "create index dashboards_organization on dashboards (organization_id, created_at)",
];
