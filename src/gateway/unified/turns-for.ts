import type { Candidate } from "../../routing/walk.ts";
import type { Soon } from "../../runtime/pending.ts";
import { speaks } from "./issuers-of.ts";
import { notFound } from "./previous-response.ts";
import type { UnifiedWork } from "./unified-work.ts";

/** The previous turns, for a candidate that cannot look them up. @throws GatewayError, as `PreviousResponse.turns`. */
export function turnsFor(
  candidate: Candidate,
  { previous, admission: { endpoint } }: Pick<UnifiedWork, "previous" | "admission">,
): Soon<string | undefined> {
  if (previous === undefined) return undefined;
  const isKnown = previous.isKnownTo(candidate);
  if (endpoint.kind === "same") {
    if (previous.response === undefined || !isKnown) throw notFound();
    return undefined;
  }
  const speaksIt = "shape" in endpoint && speaks(candidate.target, endpoint.shape, false);
  return speaksIt && isKnown ? undefined : previous.turns();
}
