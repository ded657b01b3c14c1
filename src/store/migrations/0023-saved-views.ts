/** Saved views of the request list. */
export const SAVED_VIEWS = [
  `create table saved_views (
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
  "create index saved_views_organization on saved_views (organization_id, created_at)",
];
