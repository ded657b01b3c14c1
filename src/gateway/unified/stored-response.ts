import { GatewayError } from "../../errors.ts";
import type { KeySnapshot } from "../../keys.ts";
import { callOf, shapesFor } from "../../routing/endpoint.ts";
import type { Ordered } from "../../routing/order.ts";
import { allows } from "../../routing/pattern.ts";
import type { Scope } from "../../routing/scope.ts";
import { Walk } from "../../routing/walk.ts";
import { NOTHING_DESCRIBED } from "../../unified/describe.ts";
import type { EarlierResponse } from "../../unified/earlier-response.ts";
import { shapeNameOf } from "../../unified/outbound.ts";
import type { Admitted } from "../admitted.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import type { UnifiedAdmission } from "./admission/unified-admission.ts";
import { retriesOf } from "./targets/plan-targets.ts";
import { inTime } from "./targets/recorded.ts";
import { UnifiedCall } from "./unified-call.ts";
import type { UnifiedWork } from "./unified-work.ts";

/**
 * Handles a request about a response that a provider has stored: at that provider, with the credential that made it.
 *
 * @throws GatewayError `previous_response_not_found` if no record has it, or this key may not use that credential.
 */
export async function respondStored(
  parts: GatewayParts,
  admitted: Admitted & { readonly key: KeySnapshot; readonly unified: UnifiedAdmission },
  { scope, id, body }: { readonly scope: Scope; readonly id: string; readonly body: Uint8Array },
): Promise<void> {
  const { key, unified: admission, exchange, retry } = admitted;
  const { organizationId } = key;
  const earlier = await inTime(parts.unified.recorded.responseOf({ organizationId, responseId: id }));
  if (exchange.ended) return;
  const target = earlier?.isProviders ? targetOf(earlier, scope, admission) : undefined;
  if (target === undefined)
    throw new GatewayError(
      "previous_response_not_found",
      "no credential that this key may use has stored a response with this id",
    );
  const { provider, model } = target;
  const description = { ...NOTHING_DESCRIBED, model };
  const work: UnifiedWork = { admission, body, description, states: {} };
  const walk = new Walk([target], {
    rests: parts.unified.rests,
    hasOwnKey: () => earlier?.credential === "client",
    seed: undefined,
    ...retriesOf(retry?.plan),
    random: Math.random,
  });
  exchange.receive((events) => new UnifiedCall({ parts, admitted, work, walk, first: provider, events }));
}

/** Where it is stored; undefined if this request may not go there. */
function targetOf(
  { provider: name, model, requestModel, credential }: EarlierResponse,
  scope: Scope,
  { own }: UnifiedAdmission,
): Ordered | undefined {
  const provider = scope.providerByName(name);
  if (provider === undefined) return undefined;
  if (!allows(scope.allowed, requestModel ?? "", `${name.toLowerCase()}/${model}`)) return undefined;
  const isOwn = credential === "client";
  const stored = isOwn ? [] : scope.credentials.filter((each) => each.provider === name && each.name === credential);
  if (isOwn ? own.keyOf(provider, provider) === undefined : stored.length === 0) return undefined;
  const spoken = shapesFor(provider, callOf(provider, stored[0], { model, stream: false }));
  if (!spoken.some((at) => shapeNameOf(at) === "responses")) return undefined;
  return {
    provider,
    model,
    credentials: stored.slice(0, 1),
    settings: undefined,
    route: null,
    reason: "affinity",
    resolvedBy: `provider ${name.toLowerCase()}`,
    path: [],
    retries: 0,
    timeoutSeconds: undefined,
    skipped: undefined,
  };
}
