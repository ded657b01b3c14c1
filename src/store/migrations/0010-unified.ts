/** Credentials of providers, routes, and what keys may use of both. */
export const UNIFIED = [
  `create table credentials (
    id text primary key not null,
    organization_id text not null,
    name text not null,
    provider text not null,
    secrets text not null,
    terms text not null,
    created_at integer not null,
    updated_at integer not null
  )`,
  "create unique index credentials_name on credentials (organization_id, name)",
  `create table routes (
    organization_id text not null,
    name text not null,
    route text not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (organization_id, name)
  )`,
  "alter table keys add column models text",
  "alter table keys add column credentials text",
];
