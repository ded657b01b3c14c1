/**
 * Small bodies are stored in the row of their request's texts: one row instead of four, in one B-tree instead of two. Older
 * bodies stay in `bodies` and are still read there.
 */
export const SMALL_BODIES = [
  "alter table texts add column headers blob",
  "alter table texts add column request blob",
  "alter table texts add column request_is_text integer default 0 not null",
  "alter table texts add column response blob",
  "alter table texts add column response_is_text integer default 0 not null",
  "alter table texts add column raw blob",
];
