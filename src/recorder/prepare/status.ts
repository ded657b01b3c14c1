import type { EndMeta, HeadMeta, Outcome } from "../../spool/frame.ts";

/** The status of an exchange that ended without a response of its own, by outcome. */
const STATUS: Readonly<Record<Outcome, number | undefined>> = {
  complete: undefined,
  refused: undefined,
  failed: undefined,
  client_gone: 499,
  upstream_failed: 502,
  upstream_timeout: 504,
  cut_off: 500,
};

/** The record's `response_status`; null while in flight, never null after the end. */
export function responseStatus(head: Pick<HeadMeta, "status"> | undefined, end: EndMeta | undefined): number | null {
  if (end === undefined) return null;
  if (end.outcome === "cut_off") return 500;
  return end.status ?? STATUS[end.outcome] ?? head?.status ?? 500;
}
