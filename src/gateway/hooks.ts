import { maskLabel } from "../masking/mask.ts";
import type { BodyNeed, RequestChange } from "../plugin-host/contract.ts";
import { isRefusal, type Verdict } from "../plugin-host/hooks/verdict.ts";
import { after, type Soon } from "../runtime/pending.ts";
import type { Admitted } from "./admitted.ts";
import { modelOfPath } from "./body/content.ts";
import { hasBody } from "./body/plan.ts";
import { codedBody } from "./change-request.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { Refused } from "./refusal.ts";
import type { RequestHooks } from "./request-hooks.ts";
import type { RequestFacts, SeenRequest } from "./seen-request.ts";

/** Plugins' changes to the request; a promise only if a plugin returned one. */
type Change = RequestChange | undefined | Promise<RequestChange | undefined>;

const NOTHING: readonly BodyNeed[] = [];

/** What plugins need from a request's body. */
export function bodyNeeds(
  { hooks }: GatewayParts,
  { seen, facts, request, headers, unified }: Admitted,
): readonly BodyNeed[] | Promise<readonly BodyNeed[]> {
  if (hooks?.needs === undefined || request.client !== undefined || !hasBody(headers)) return NOTHING;
  const needs = hooks.needs(seen, facts);
  if (unified === undefined) return needs;
  return needs instanceof Promise ? needs.then(ofUnified) : ofUnified(needs);
}

/** At the unified address user and model are always read, the model for each target. */
const ofUnified = (needs: readonly BodyNeed[]) => needs.filter((need) => need === "body");

/** Adds what the body contains to the facts about a request. */
export async function learnFromBody(
  parts: GatewayParts,
  { facts, headers, needs }: Pick<Admitted, "facts" | "headers" | "needs">,
  bytes: Uint8Array,
): Promise<void> {
  const found = await parts.content.content(codedBody(headers, bytes), needs.includes("body"));
  if (needs.includes("user")) facts.bodyUser = found.user === undefined ? undefined : maskLabel(found.user);
  if (needs.includes("model")) facts.model ??= modelOfPath(facts.path) ?? found.model;
  if (needs.includes("body")) facts.body = found.json;
}

/**
 * Calls the plugins' `onRequest` before the cache and the target.
 *
 * @returns their changes to the request.
 * @throws Refused if a plugin refuses; GatewayError `plugin_failed` if a plugin fails.
 */
export function askOnRequest({ hooks }: GatewayParts, { seen, facts, exchange }: Admitted): Change {
  if (!hooks?.has("onRequest")) return undefined;
  const verdict = hooks.onRequest(seen, facts);
  return verdict instanceof Promise ? applyLater(verdict, exchange) : applyVerdict(verdict, exchange);
}

/**
 * Calls the plugins' `onForward` right before the target. Their `onEnd` follows in any case.
 *
 * @returns their changes to the request: only in a further thread, where both hooks are called together.
 * @throws as `askOnRequest`.
 */
export function askOnForward({ hooks }: GatewayParts, { seen, facts, exchange }: Admitted): Change {
  if (hooks === undefined || !(hooks.has("onForward") || hooks.has("onEnd"))) return undefined;
  let verdict: Verdict | Promise<Verdict>;
  try {
    verdict = hooks.onForward(seen, facts);
  } catch (error) {
    verdict = Promise.reject(error);
  }
  // The client may leave in the meantime: `onEnd` is called only after the plugins have responded.
  if (verdict instanceof Promise) return reportEndAfter(applyLater(verdict, exchange), hooks, exchange);
  reportEnd(hooks, exchange);
  return applyVerdict(verdict, exchange);
}

const reportEnd = (hooks: RequestHooks, exchange: Exchange) => exchange.reportEnd((end) => hooks.onEnd(end));
const reportEndAfter = <T>(verdict: Promise<T>, hooks: RequestHooks, exchange: Exchange) =>
  verdict.finally(() => reportEnd(hooks, exchange));
const applyLater = (verdict: Promise<Verdict>, exchange: Exchange) =>
  verdict.then((given) => applyVerdict(given, exchange));

/** A request to a target that the client did not name itself, as a complete request of its own. */
export interface FurtherRequest {
  /** With its own id: plugins' counts for it are settled under this id when the exchange ends. */
  readonly seen: SeenRequest;
  readonly facts: RequestFacts;
}

/**
 * Asks the plugins whether a request may go to a target other than the client's first one.
 *
 * @returns their changes to the request.
 * @throws as `askOnRequest`.
 */
export async function askFor(
  hooks: RequestHooks,
  { seen, facts }: FurtherRequest,
  exchange: Exchange,
): Promise<RequestChange | undefined> {
  const { change } = await askBefore(hooks, { seen, facts });
  try {
    return applyVerdict(await hooks.onForward(seen, facts)) ?? change; // in another thread, both hooks are called together
  } finally {
    exchange.reportEnd((end) => hooks.onEnd({ ...end, id: seen.id }));
  }
}

/** The first half of `askAboutCall`: called before any lookup that could make the call unnecessary. @throws as `askOnRequest`. */
export async function askBefore(hooks: RequestHooks, { seen, facts }: FurtherRequest) {
  return { change: applyVerdict(await hooks.onRequest(seen, facts)) };
}

/**
 * Asks the plugins whether one call of a unified request may be made.
 *
 * @param exchange - receives the response headers; undefined for a later call.
 * @param before - the result of `askBefore`, if that was called already.
 * @returns their changes to the request.
 * @throws as `askOnRequest`.
 */
export function askAboutCall(
  hooks: RequestHooks,
  { seen, facts }: FurtherRequest,
  exchange: Exchange | undefined,
  before?: { readonly change: RequestChange | undefined },
): Soon<RequestChange | undefined> {
  const ask = (change: RequestChange | undefined) =>
    after(hooks.onForward(seen, facts), (verdict) => applyVerdict(verdict, exchange) ?? change);
  if (before !== undefined) return ask(before.change);
  return after(hooks.onRequest(seen, facts), (verdict) => ask(applyVerdict(verdict, exchange)));
}

/** @param exchange - receives the headers for its response. */
function applyVerdict(verdict: Verdict, exchange?: Exchange): RequestChange | undefined {
  if (isRefusal(verdict)) throw new Refused(verdict);
  if (verdict?.responseHeaders !== undefined) exchange?.addHeaders(verdict.responseHeaders);
  return verdict?.send;
}
