import type { RequestChange } from "../../../plugin-host/contract.ts";
import type { Candidate } from "../../../routing/walk.ts";
import { isPending, type Soon } from "../../../runtime/pending.ts";
import type { Admitted } from "../../admitted.ts";
import type { GatewayParts } from "../../gateway-parts.ts";
import { askAboutCall, askBefore, type FurtherRequest } from "../../hooks.ts";
import { type RequestFacts, SeenRequest } from "../../seen-request.ts";
import type { UnifiedWork } from "../unified-work.ts";
import { factsOf, planOf } from "./call-plan.ts";
import { CountedCall } from "./counted-call.ts";

interface AskParts {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  readonly work: UnifiedWork;
}

/** The plugins' result from before the cache look-up. */
export interface Consent {
  readonly candidate: Candidate;
  readonly counted: CountedCall;
  readonly request: FurtherRequest;
  readonly change: RequestChange | undefined;
}

/**
 * Asks the plugins whether a request may go to a candidate.
 *
 * @param isFirst - whether this request has made no call yet: later calls are its fallbacks and reserve no budget of their
 * own.
 * @param calls - the number of calls that it is split into.
 * @throws Refused; GatewayError `plugin_failed`.
 */
export function askForTarget(
  ask: AskParts,
  candidate: Candidate,
  {
    isFirst,
    consent,
    calls,
  }: { readonly isFirst: boolean; readonly consent?: Consent | undefined; readonly calls: number },
): Soon<CountedCall> {
  const { hooks } = ask.parts;
  const { exchange } = ask.admitted;
  const given = isFirst && consent?.candidate === candidate ? consent : undefined;
  const counted = given?.counted ?? new CountedCall();
  if (hooks === undefined) return counted;
  const request = given?.request ?? requestFor(ask, candidate, { isFirst, callId: counted.id });
  request.facts.calls = calls;
  counted.begin(hooks, exchange);
  const refused = (error: unknown): never => {
    counted.giveBack();
    throw error;
  };
  const allowed = (change: RequestChange | undefined) => {
    counted.change = change;
    return counted;
  };
  try {
    const change = askAboutCall(hooks, request, isFirst ? exchange : undefined, given);
    return isPending(change) ? change.then(allowed, refused) : allowed(change);
  } catch (error) {
    return refused(error);
  }
}

/** Asks the plugins before it is known whether the candidate must be called. @throws as `askForTarget`. */
export async function askConsent(ask: AskParts, candidate: Candidate): Promise<Consent | undefined> {
  const { hooks } = ask.parts;
  if (hooks === undefined || !hooks.has("onRequest")) return undefined;
  const counted = new CountedCall();
  const request = requestFor(ask, candidate, { isFirst: true, callId: counted.id });
  return { candidate, counted, request, ...(await askBefore(hooks, request)) };
}

function requestFor(
  { admitted, work }: AskParts,
  candidate: Candidate,
  { isFirst, callId }: { readonly isFirst: boolean; readonly callId: string },
): FurtherRequest {
  const { exchange, facts: first } = admitted;
  const facts: RequestFacts = {
    ...first,
    ...factsOf(candidate, planOf(candidate, work.description.stream)),
    id: isFirst ? exchange.id : callId,
    fallbackOf: isFirst ? undefined : exchange.id,
    callId,
    bodyUser: work.description.user,
  };
  return { seen: new SeenRequest(facts), facts };
}
