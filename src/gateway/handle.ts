import { GatewayError } from "../errors.ts";
import type { KeySnapshot } from "../keys.ts";
import { messageOf } from "../log.ts";
import type { BodyNeed } from "../plugin-host/contract.ts";
import type { ServerResponse } from "../runtime/http/server.ts";
import { isPending, type Soon } from "../runtime/pending.ts";
import { admit, beginMeta, claimId, identify, speaksOfCache } from "./admit.ts";
import type { Admitted, Arrival, ClientRequest } from "./admitted.ts";
import { hasBody, planBody, readBody } from "./body/plan.ts";
import { recordRefusedBody } from "./body/refused-body.ts";
import { serveCached } from "./cache/serve-cached.ts";
import { asChanged, type Sent } from "./change-request.ts";
import { Exchange } from "./exchange.ts";
import { explain } from "./explain.ts";
import { forward } from "./forward.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { RequestHeaders } from "./headers/headers.ts";
import { readRequestId } from "./headers/settings.ts";
import { askOnForward, askOnRequest, bodyNeeds, learnFromBody } from "./hooks.ts";
import { fromRefusal, Refused, toOwnResponse } from "./refusal.ts";
import { callProvider } from "./retry/call-provider.ts";
import { asUnified } from "./unified/admission/address.ts";
import { isForRoot, respondAtRoot } from "./unified/admission/root.ts";
import type { UnifiedAdmission } from "./unified/admission/unified-admission.ts";
import { handleUnified } from "./unified/handle-unified.ts";

/**
 * Handles one request from its head to its end; errors become responses.
 *
 * The record begins before the body is read and before any plugin is called, so every id that a client sees is recorded,
 * even if a plugin refuses the request or the process is killed. Only slow steps are awaited: most requests are forwarded
 * within the event-loop turn in which their head arrived, and without the objects of an asynchronous function.
 */
export function handle(parts: GatewayParts, request: ClientRequest, response: ServerResponse): Soon<void> {
  let arrival: Arrival | undefined;
  try {
    const headers = parts.headers.read(request.incoming.rawHeaders);
    if (isForRoot(parts, request, headers)) return respondAtRoot(response);
    if (parts.passedOn !== undefined && request.client === undefined && belongsToFirst(parts, request, headers))
      return parts.passedOn.passOn(request.incoming, response);
    arrival = { exchange: new Exchange(parts, response, request.client), request, headers };
    const key = identify(parts, arrival);
    const chosenId = readRequestId(headers.gateway);
    const serving = chosenId === undefined ? serve(parts, arrival, key) : serveWithId(parts, arrival, key, chosenId);
    if (isPending(serving)) return finish(parts, arrival, serving);
  } catch (error) {
    refuse(parts, arrival ?? unread(parts, request, response), error);
  }
}

/** A request whose headers could not be read. */
const unread = (parts: GatewayParts, request: ClientRequest, response: ServerResponse): Arrival => ({
  exchange: new Exchange(parts, response, request.client),
  request,
  headers: parts.headers.read([]),
});

/** Waits for a request with a slow step. */
async function finish(parts: GatewayParts, arrival: Arrival, serving: Promise<void>): Promise<void> {
  try {
    await serving;
  } catch (error) {
    refuse(parts, arrival, error);
  }
}

async function serveWithId(parts: GatewayParts, arrival: Arrival, key: KeySnapshot, id: string): Promise<void> {
  await claimId(parts, arrival.exchange, id);
  await serve(parts, arrival, key);
}

/** Begins the record, then forwards the request, or reads its body first. @throws GatewayError; Refused if a plugin refuses. */
function serve(parts: GatewayParts, arrival: Arrival, key: KeySnapshot): Soon<void> {
  const { exchange } = arrival;
  const admitted = admit(parts, arrival, key);
  const isRecorded = exchange.begin(admitted.meta);
  if (exchange.ended) return;
  if (!isRecorded && parts.refuseWhenFull) throw new GatewayError("spool_full");
  const needs = bodyNeeds(parts, admitted);
  if (isPending(needs) || needs.length > 0 || planBody(admitted).kind === "whole")
    return readAndServe(parts, admitted, needs);
  const changing = asChanged(parts, { admitted, body: undefined }, askOnRequest(parts, admitted));
  return isPending(changing) ? respondLater(parts, changing) : respondFrom(parts, changing);
}

/** For a request whose body may have to be read before it is forwarded. @throws as `serve`. */
async function readAndServe(parts: GatewayParts, admitted: Admitted, needed: Soon<readonly BodyNeed[]>): Promise<void> {
  const { exchange } = admitted;
  const needs = isPending(needed) ? await needed : needed;
  const planned = needs.length === 0 ? admitted : { ...admitted, needs };
  const plan = planBody(planned);
  const reading = plan.kind === "whole" ? readBody(parts, planned, plan) : undefined;
  const body = isPending(reading) ? await reading : reading;
  if (exchange.ended) return;
  if (body !== undefined && needs.length > 0) await learnFromBody(parts, planned, body);
  // At the unified address plugins are called for each target, before it is called.
  if (isUnifiedRequest(planned)) return await handleUnified(parts, planned, body ?? NO_BODY);
  const changing = asChanged(parts, { admitted: planned, body }, askOnRequest(parts, planned));
  const passing = isPending(changing) ? respondLater(parts, changing) : respondFrom(parts, changing);
  if (isPending(passing)) await passing;
}

const respondLater = (parts: GatewayParts, changing: Promise<Sent>) =>
  changing.then((sent) => respondFrom(parts, sent));

const NO_BODY = new Uint8Array(0);

const isUnifiedRequest = (admitted: Admitted): admitted is Admitted & { readonly unified: UnifiedAdmission } =>
  admitted.unified !== undefined;

/** Whether only the first gateway thread can serve it: that thread has the cache and knows which credentials rest. */
function belongsToFirst(parts: GatewayParts, request: ClientRequest, headers: RequestHeaders): boolean {
  return speaksOfCache(headers) || asUnified(parts, request, headers) !== undefined;
}

/** Gets the response: from the cache, from the provider with retries, or by a plain forward. */
function respondFrom(parts: GatewayParts, given: Sent): Soon<void> {
  const { admitted, body } = given;
  if (admitted.exchange.ended) return;
  if (admitted.caching !== undefined && body !== undefined) return serveCached(parts, admitted, admitted.caching, body);
  const changing = asChanged(parts, given, askOnForward(parts, admitted));
  return isPending(changing) ? passLater(parts, changing) : pass(parts, changing);
}

// Functions of their own: one that makes a closure in rare cases pays for its scope in every case.
const passLater = (parts: GatewayParts, changing: Promise<Sent>) => changing.then((sent) => pass(parts, sent));

const passWhole = (parts: GatewayParts, admitted: Admitted, body: Uint8Array) =>
  admitted.exchange.receive((events) => callProvider(parts, { admitted, body }, events));

/** Gets the response from the provider: with retries if the body is in memory for them. */
function pass(parts: GatewayParts, { admitted, body }: Sent): void {
  if (admitted.exchange.ended) return;
  if (body === undefined) forward(parts, admitted);
  else passWhole(parts, admitted, body);
}

/** Responds in the provider's place. A request with a known key gets a record, with the body still arriving. */
function refuse(parts: GatewayParts, arrival: Arrival, thrown: unknown): void {
  const { exchange, request, headers, key } = arrival;
  const error = explain(thrown, headers, parts);
  if (!(error instanceof GatewayError || error instanceof Refused))
    parts.log.error("a request failed in the gateway", { error: messageOf(error) });
  if (key !== undefined && !exchange.recording.begun) exchange.begin(beginMeta(parts, arrival, key));
  const isRefusal = error instanceof Refused;
  const own = isRefusal ? fromRefusal(error.refusal, parts.idHeaders) : toOwnResponse(error);
  const outcome = isRefusal || own.status < 500 ? "refused" : "failed";
  const isUnread = exchange.upload === undefined && hasBody(headers);
  if (isUnread && isComing(arrival, parts) && exchange.recording.begun)
    recordRefusedBody(exchange, request.incoming, () => exchange.respondOwn(own, outcome));
  else exchange.respondOwn(own, outcome);
}

/** Whether the body will arrive and is within the size limit: a client that waits for a 100 Continue sends none. */
function isComing({ request, headers }: Arrival, { bodyBytesMax }: GatewayParts): boolean {
  return !request.incoming.waitsForContinue && (headers.contentLength ?? 0) <= bodyBytesMax;
}
