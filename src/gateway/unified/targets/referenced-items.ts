import { GatewayError } from "../../../errors.ts";
import type { Description } from "../../../unified/describe.ts";
import type { RoutingParts } from "../../gateway-parts.ts";
import { inTime } from "./recorded.ts";

/** A request's body as it is translated, and its description. */
export interface Understood {
  readonly body: Uint8Array;
  readonly description: Description;
}

/**
 * Replaces references to items of translated responses with the items. No provider knows their ids, so such a body is read
 * and rewritten even in its own shape.
 *
 * @throws GatewayError `previous_response_not_found`, `database_unavailable`.
 */
export async function withReferences(
  { unified: { recorded, translator } }: RoutingParts,
  organizationId: string,
  { body, description }: Understood,
): Promise<Understood> {
  const found = await Promise.all(
    description.references.map((responseId) => inTime(recorded.itemsOf({ organizationId, responseId }))),
  );
  const filled = await translator.withItems(
    body,
    found.filter((items) => items !== undefined),
  );
  if ("missing" in filled) throw new GatewayError("previous_response_not_found", undefined, { path: filled.missing });
  return { body: filled.body, description: { ...description, hasState: true, issuers: filled.issuers } };
}
