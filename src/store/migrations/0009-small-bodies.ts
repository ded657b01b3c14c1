/**
 * Small bodies stand in the row of their request's texts: one row for what took four, in one tree instead of two. What
 * was recorded before stays in `bodies`, where it is still read.
 */
export const SMALL_BODIES = [
  "alter table texts add column headers blob",
  "alter table texts add column request blob",
  "alter table texts add column request_is_text integer default 0 not null",
  "alter table texts add column response blob",
  "alter table texts add column response_is_text integer default 0 not null",
  "alter table texts add column raw blob",
];
