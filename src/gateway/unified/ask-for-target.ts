import type { RequestChange } from "../../plugin/contract.ts";
import { callOf, originOf } from "../../routing/endpoint.ts";
import type { Candidate } from "../../routing/walk.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { Admitted } from "../admit.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { askFor } from "../hooks.ts";
import { type RequestFacts, SeenRequest } from "../seen-request.ts";
import type { UnifiedWork } from "./answer-unified.ts";

/**
 * Asks the plugins whether a request may go to a candidate.
 *
 * @param isFirst - the request itself; further ones are its fallbacks, and hold no budget of their own.
 * @returns what they change of what is sent.
 * @throws Refused; GatewayError `plugin_failed`.
 */
export async function askForTarget(
  { parts, admitted, work }: { readonly parts: GatewayParts; readonly admitted: Admitted; readonly work: UnifiedWork },
  { target, credential, model }: Candidate,
  isFirst: boolean,
): Promise<RequestChange | undefined> {
  const { hooks } = parts;
  if (hooks === undefined) return undefined;
  const { exchange, facts: first } = admitted;
  const { provider } = target;
  const stored = credential === "client" ? undefined : credential;
  const call = callOf(provider, stored, { model, stream: work.description.stream });
  const origin = originOf(provider, stored, call) ?? "";
  const facts: RequestFacts = {
    ...first,
    id: isFirst ? exchange.id : uuidv7(),
    ...(!isFirst && { fallbackOf: exchange.id }),
    provider: provider.name,
    target: { origin, host: URL.canParse(origin) ? new URL(origin).hostname : "", owner: provider.name },
    model,
    bodyUser: work.description.user,
    route: target.route ?? undefined,
    credential: stored && { name: stored.name, organizationId: stored.organizationId, limit: stored.limit },
  };
  return askFor(hooks, new SeenRequest(facts), facts, exchange);
}
