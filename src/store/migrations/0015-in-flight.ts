/** Rows of exchanges in flight are looked for at each start. */
export const IN_FLIGHT = ["create index requests_in_flight on requests (seq) where response_status is null"];
