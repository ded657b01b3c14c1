/** Who gave a score, when and why. The index finds records with scores without reading the others. */
export const RATINGS = [
  `create table ratings (
    request_id text not null,
    name text not null,
    source text not null,
    organization_id text not null,
    author text not null,
    value real not null,
    label text,
    reason text,
    created_at integer not null,
    primary key (request_id, name, source)
  ) without rowid`,
  "create index requests_scored on requests (organization_id, request_created_at, scores) where scores <> '{}'",
];
