/** Queues of records for reviewers to score, and their results. */
export const REVIEWS = [
  `create table reviews (
    id text primary key not null,
    organization_id text not null,
    name text not null,
    scores text not null,
    sequence text not null,
    reviewers integer not null,
    created_at integer not null,
    updated_at integer not null
  ) without rowid`,
  "create index reviews_organizations on reviews (organization_id)",
  `create table review_items (
    review_id text not null,
    request_id text not null,
    organization_id text not null,
    request_created_at integer not null,
    shuffle integer not null,
    primary key (review_id, request_id)
  ) without rowid`,
  "create index review_items_requests on review_items (request_id)",
  `create table review_answers (
    review_id text not null,
    request_id text not null,
    reviewer text not null,
    organization_id text not null,
    author text not null,
    state text not null,
    scores text not null,
    reason text,
    leased_until integer not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (review_id, request_id, reviewer)
  ) without rowid`,
  "create index review_answers_requests on review_answers (request_id)",
];
