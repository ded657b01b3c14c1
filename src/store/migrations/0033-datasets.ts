/** Datasets: examples collected from requests, with versions. */
export const DATASETS = [
  `create table datasets (
    id text primary key not null,
    organization_id text not null,
    name text not null,
    description text not null,
    version integer not null,
    created_by text not null,
    created_at integer not null,
    updated_at integer not null
  ) without rowid`,
  "create unique index datasets_name on datasets (organization_id, name)",
  `create table dataset_items (
    dataset_id text not null,
    id text not null,
    since integer not null,
    until integer,
    request_id text,
    input text not null,
    output text,
    labels text not null,
    note text not null,
    created_at integer not null,
    primary key (dataset_id, id, since)
  ) without rowid`,
  "create index dataset_items_request on dataset_items (request_id) where request_id is not null",
];
