import type { Candidate } from "../../../routing/walk.ts";
import type { Soon } from "../../../runtime/pending.ts";
import type { UnifiedWork } from "../unified-work.ts";
import { shapeAt } from "./issuers-of.ts";
import { notFound } from "./previous-response.ts";
import { requireThread } from "./threads.ts";

/**
 * The previous turns, for a candidate that cannot look them up.
 *
 * @throws GatewayError, as `PreviousResponse.turns` and `requireThread`.
 */
export function turnsFor(
  candidate: Candidate,
  work: Pick<UnifiedWork, "previous" | "admission" | "description">,
): Soon<string | undefined> {
  const { previous, admission } = work;
  const { endpoint } = admission;
  requireThread(candidate, work);
  if (previous === undefined) return undefined;
  const isKnown = previous.isKnownTo(candidate);
  if (endpoint.kind === "same") {
    if (previous.response === undefined || !isKnown) throw notFound();
    return undefined;
  }
  const own = "shape" in endpoint ? shapeAt(candidate.target, endpoint.shape, false) : undefined;
  const looksUp = own !== undefined && own.place?.stateless !== true;
  return looksUp && isKnown ? undefined : previous.turns();
}
