export const FIRST_BODIES = [
  `create table texts (
    request_id text primary key not null,
    prompt text,
    completion text
  )`,

  `create table bodies (
    request_id text not null,
    part text not null,
    form text not null,
    bytes integer not null,
    codec text not null,
    data blob,
    blob_hash text,
    primary key (request_id, part)
  )`,
  "create index bodies_blob on bodies (blob_hash) where blob_hash is not null",

  `create table blobs (
    hash text primary key not null,
    codec text not null,
    content_type text,
    bytes integer not null,
    data blob not null
  )`,

  `create table assets (
    request_id text not null,
    asset_id text not null,
    organization_id text not null,
    content_type text not null,
    bytes integer not null,
    primary key (request_id, asset_id)
  )`,
  "create index assets_id on assets (asset_id)",
];
