/** Comments on requests, and links that let others read requests without an account. */
export const NOTES = [
  `create table comments (
    request_id text not null,
    id text not null,
    organization_id text not null,
    author_id text not null,
    author_name text not null,
    text text not null,
    created_at integer not null,
    primary key (request_id, id)
  ) without rowid`,
  `create table shared_links (
    id text primary key not null,
    token_hash text not null,
    organization_id text not null,
    kind text not null,
    subject text not null,
    owner_id text not null,
    owner_name text not null,
    created_at integer not null,
    expires_at integer not null
  ) without rowid`,
  "create unique index shared_links_token on shared_links (token_hash)",
  "create index shared_links_subject on shared_links (subject)",
];
