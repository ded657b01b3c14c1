import { maskLabel } from "../masking/mask.ts";
import type { BodyNeed, RequestChange, RequestEnd } from "../plugin/contract.ts";
import { isRefusal, type Verdict } from "../plugin/hooks/verdict.ts";
import type { Admitted } from "./admit.ts";
import { modelOfPath } from "./body/content.ts";
import { hasBody } from "./body/plan.ts";
import { codedBody } from "./change-request.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { Refused } from "./refusal.ts";
import type { RequestFacts, SeenRequest } from "./seen-request.ts";

/** The hooks of the loaded plugins, in this thread or asked in another; `plugin/hooks/hooks.ts` is one. */
export interface RequestHooks {
  has(name: "onRequest" | "onForward" | "onEnd"): boolean;
  /** What the plugins need of this request's body. Never throws. */
  needs?(request: SeenRequest, facts: RequestFacts): readonly BodyNeed[] | Promise<readonly BodyNeed[]>;
  /** @throws GatewayError `plugin_failed`. */
  onRequest(request: SeenRequest, facts: RequestFacts): Verdict | Promise<Verdict>;
  /** @throws GatewayError `plugin_failed`. */
  onForward(request: SeenRequest, facts: RequestFacts): Verdict | Promise<Verdict>;
  onEnd(end: RequestEnd): void;
}

const NOTHING: readonly BodyNeed[] = [];

/** What plugins need of a request's body. */
export async function bodyNeeds({ hooks }: GatewayParts, admitted: Admitted): Promise<readonly BodyNeed[]> {
  const { seen, facts, request, headers } = admitted;
  if (hooks?.needs === undefined || request.client !== undefined || !hasBody(headers)) return NOTHING;
  const needs = await hooks.needs(seen, facts);
  // At the unified address user and model are read of every request, the model of each target.
  return admitted.unified === undefined ? needs : needs.filter((need) => need === "body");
}

/** Adds what a request's body tells to what is known of it. */
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
 * Lets the plugins look at a request before the cache is asked and its target is called.
 *
 * @returns what they change of what is sent.
 * @throws Refused where one of them refuses; GatewayError `plugin_failed` where one of them fails.
 */
export async function askOnRequest(
  { hooks }: GatewayParts,
  { seen, facts, exchange }: Admitted,
): Promise<RequestChange | undefined> {
  return hooks?.has("onRequest") ? heed(await hooks.onRequest(seen, facts), exchange) : undefined;
}

/**
 * Asks the plugins for the last time before the target is called. They are told how it ended, whatever comes.
 *
 * @returns what they change of what is sent: only in a further thread, where both hooks are asked at once.
 * @throws as `askOnRequest`.
 */
export async function askOnForward(
  { hooks }: GatewayParts,
  { seen, facts, exchange }: Admitted,
): Promise<RequestChange | undefined> {
  if (hooks === undefined || !(hooks.has("onForward") || hooks.has("onEnd"))) return undefined;
  try {
    return heed(await hooks.onForward(seen, facts), exchange);
  } finally {
    // The client may leave meanwhile: the plugins hear of the end once they have answered.
    exchange.tellEnd((end) => hooks.onEnd(end));
  }
}

/**
 * Asks the plugins whether a request may go to another target than the client named first: all of it, as if it were a
 * request of its own.
 *
 * @param seen - with an id of its own: what plugins count for it is settled under this id when the exchange ends.
 * @returns what they change of what is sent.
 * @throws as `askOnRequest`.
 */
export async function askFor(
  hooks: RequestHooks,
  seen: SeenRequest,
  facts: RequestFacts,
  exchange: Exchange,
): Promise<RequestChange | undefined> {
  const change = heed(await hooks.onRequest(seen, facts));
  try {
    return heed(await hooks.onForward(seen, facts)) ?? change; // in another thread, both are asked at once
  } finally {
    exchange.tellEnd((end) => hooks.onEnd({ ...end, id: seen.id }));
  }
}

/** @param exchange - gets the headers for its response. */
function heed(verdict: Verdict, exchange?: Exchange): RequestChange | undefined {
  if (isRefusal(verdict)) throw new Refused(verdict);
  if (verdict?.responseHeaders !== undefined) exchange?.addHeaders(verdict.responseHeaders);
  return verdict?.send;
}
