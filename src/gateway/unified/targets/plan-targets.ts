import type { KeySnapshot } from "../../../keys.ts";
import type { ProviderPlugin } from "../../../plugin-host/contract.ts";
import { issuingTarget, withAffinity } from "../../../routing/affinity.ts";
import type { Demand } from "../../../routing/demand.ts";
import { readModelString } from "../../../routing/model-string.ts";
import { type Ordered, type OrderParts, order, priceOf } from "../../../routing/order.ts";
import { resolve } from "../../../routing/resolve.ts";
import { Walk, type WalkParts } from "../../../routing/walk.ts";
import type { Description } from "../../../unified/describe.ts";
import type { RoutingParts } from "../../gateway-parts.ts";
import type { RetryPlan } from "../../retry/plan.ts";
import { issuersOf } from "./issuers-of.ts";
import { fallbackChoices, firstProvider } from "./scope.ts";
import type { TargetsWanted } from "./targets-wanted.ts";

export interface PlannedTargets {
  /** In the order in which they are called, including those whose conditions do not hold. */
  readonly targets: readonly Ordered[];
  readonly walk: Walk;
  /** The inputs of the walk's candidates. */
  readonly walkParts: WalkParts;
  /** The provider of the first target. */
  readonly first: ProviderPlugin | undefined;
  /** US dollars that the request would cost there; undefined if the price is unknown. */
  readonly costOf: (target: Ordered) => number | undefined;
  /** Entries of `Gateway-Fallbacks` without a target, by their paths. */
  readonly dropped: readonly string[];
}

/**
 * Resolves a model string and orders its targets, for a real request or an explained one.
 *
 * @throws GatewayError `model_not_found`, `no_credential`, `model_forbidden`.
 */
export function planTargets(parts: RoutingParts, wanted: TargetsWanted): PlannedTargets {
  const { scope, admission, demand, organizationId, retry, kept, random, now } = wanted;
  const { speeds, prices, rests } = parts.unified;
  const named = choicesFor(parts, wanted);
  const { choices: further, dropped } = admission.fallbacks.length === 0 ? NONE : fallbackChoices(scope(), admission);
  const choices = further.length === 0 ? named : [...named, ...further];
  const together = demand.session;
  const orderParts: OrderParts = {
    demand,
    speeds,
    priceOf: prices.of(organizationId),
    kept,
    organizationId,
    now,
    random,
  };
  const first = firstProvider(choices);
  const hasOwnKey = ({ provider }: Ordered) => admission.own.keyOf(provider, first) !== undefined;
  const inOrder = order(choices, orderParts);
  const open = inOrder.find(({ skipped }) => skipped === undefined);
  const isIssuer = issuersOf(open, wanted).find((each) => issuingTarget(inOrder, each, hasOwnKey) !== undefined);
  const issuer = isIssuer && issuingTarget(inOrder, isIssuer, hasOwnKey);
  const targets = issuer === undefined ? inOrder : withAffinity(inOrder, issuer);
  const walkParts: WalkParts = {
    rests,
    hasOwnKey,
    isIssuer,
    seed: together === undefined ? undefined : JSON.stringify([organizationId, together]),
    ...retriesOf(retry),
    random,
  };
  const costOf = (target: Ordered) => priceOf(target, orderParts);
  return { targets, walk: new Walk(targets, walkParts), walkParts, first, costOf, dropped };
}

const NONE = { choices: [], dropped: [] };

/** The choices for the model string, without the fallbacks; the same value until any of its inputs changes. */
function choicesFor(parts: RoutingParts, { scope, key, admission, model, description }: TargetsWanted) {
  const { own, provider } = admission;
  const named = () => resolve(readModelString(model, description.more), scope());
  const isPlain = !own.hasAny && description.more.length === 0;
  if (key === undefined || !isPlain || provider !== undefined) return named();
  const { tables, catalog, choices } = parts.unified;
  return choices.of({ key, model, under: [tables(), parts.providers(), catalog.state] }, named);
}

/** The caller, as far as known. */
interface TargetCaller {
  readonly key: Pick<KeySnapshot, "id" | "name">;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
}

export function demandOf(caller: TargetCaller, description: Description): Demand {
  const { key, user, session } = caller;
  return {
    key,
    user: user ?? description.user,
    // Without a named session, the body's cache key keeps a conversation together; the record shows no session for it.
    session: session ?? description.cacheKey,
    // Only routes with conditions on properties read them.
    get properties() {
      return caller.properties;
    },
    needs: description.needs,
    inputTokens: description.inputTokens,
    maxTokens: description.maxTokens,
    stream: description.stream,
  };
}

/** The part of a request's retries that decides whether a candidate is called again. */
export function retriesOf(retry: RetryPlan | undefined): Pick<WalkParts, "retries" | "waitMsMax"> {
  return { retries: retry && retry.triesMax - 1, waitMsMax: retry?.waitMsMax };
}
