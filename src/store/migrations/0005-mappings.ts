/** How models without a known wire format are read, and operators' prices of models. */
export const MAPPINGS = [
  `create table mappings (
    organization_id text not null,
    provider text not null,
    model text not null,
    version integer not null,
    state text not null,
    origin text not null,
    mapping text not null,
    confidence real not null,
    samples integer not null,
    created_at integer not null,
    updated_at integer not null,
    reread_after integer,
    primary key (organization_id, provider, model, version)
  )`,
  "create index mappings_reread on mappings (reread_after) where reread_after is not null",
  `create table prices (
    organization_id text not null,
    provider text not null,
    model text not null,
    price text not null,
    updated_at integer not null,
    primary key (organization_id, provider, model)
  )`,
  "alter table models add column expedited_at integer",
  `create index requests_unmapped on requests (organization_id, provider, seq)
    where (wire_schema is null or wire_schema = 'mapped') and model is not null`,
];
