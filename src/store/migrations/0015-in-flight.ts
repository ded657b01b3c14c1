/** Each start searches for rows of exchanges in flight. */
export const IN_FLIGHT = ["create index requests_in_flight on requests (seq) where response_status is null"];
