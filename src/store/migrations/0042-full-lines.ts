/** A judge's line is bounded, and what it had no room for is counted. */
export const FULL_LINES = ["alter table judges add column left_out integer not null default 0"];
