/** A judge's queue is bounded, and dropped records are counted. */
export const FULL_LINES = ["alter table judges add column left_out integer not null default 0"];
