import type { RequestRow } from "./written-row.ts";

/** Outcomes whose status is Weir's own. What a provider sent before is part of a response, and not an error. */
const ENDED_EARLY: ReadonlySet<string | null | undefined> = new Set([
  ...["client_gone", "upstream_failed", "upstream_timeout", "cut_off"],
]);

/** The status with which the response's body was sent, as far as the record says; null while in flight. */
export function sentStatus({
  outcome,
  response_status: status,
}: Pick<RequestRow, "outcome" | "response_status">): number | null {
  return ENDED_EARLY.has(outcome) ? 200 : (status ?? null);
}
