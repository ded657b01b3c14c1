import { GatewayError } from "../errors.ts";
import type { KeySnapshot } from "../keys.ts";
import { messageOf } from "../observe.ts";
import type { Answer, IncomingRequest } from "../runtime/http/server.ts";
import { uuidv7 } from "../runtime/uuid.ts";
import type { BeginMeta } from "../spool/frame.ts";
import { requireGatewayScope } from "./authenticate.ts";
import { recordRefusedBody } from "./body/refused-body.ts";
import { cacheSettings, serveCached, speaksOfCache } from "./cache/serve-cached.ts";
import { checkMessage } from "./check-message.ts";
import { Exchange } from "./exchange.ts";
import { explain } from "./explain.ts";
import { type Admitted, askToForward, type ClientRequest, forward, hasBody } from "./forward.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { type RequestHeaders, recordedGatewayHeaders } from "./headers/headers.ts";
import { maskOf, maskPath } from "./headers/secrets.ts";
import { readOmissions, readRequestId, readSettings } from "./headers/settings.ts";
import { askOnRequest, Refused, type RequestFacts, SeenRequest } from "./hooks.ts";
import { bodyTooLarge, fromRefusal, toOwnAnswer } from "./refusal.ts";
import { serveWithRetries } from "./retry/call-provider.ts";
import { findFallbacks } from "./retry/fallback-request.ts";
import { readRetryPlan } from "./retry/plan.ts";
import { serveWithUser, wantsBodyUser } from "./serve-with-user.ts";
import { checkBytes, checkPath, escapeBytes, findRoute, PROVIDER_UNKNOWN, type Route } from "./target.ts";

/** Takes one request from its head to its end: id, key, target, hooks, record, provider. Never rejects. */
export async function handle(parts: GatewayParts, request: ClientRequest, answer: Answer): Promise<void> {
  const { incoming } = request;
  const headers = parts.headers.read(incoming.rawHeaders);
  if (parts.passedOn !== undefined && request.client === undefined && speaksOfCache(headers))
    return parts.passedOn.passOn(incoming, answer);
  const exchange = new Exchange(parts, uuidv7(), answer, request.client);
  let key: KeySnapshot | undefined;
  let route: Route | undefined;
  try {
    checkMessage(request, headers);
    const known = parts.keys.identify(headers.gateway, exchange.startedAt);
    if (!(known instanceof GatewayError)) key = known;
    checkBytes(incoming.url); // refused whoever sends it, and recorded where that is known
    if (key === undefined) throw known;
    requireGatewayScope(key);
    const chosenId = readRequestId(headers.gateway);
    if (chosenId !== undefined) {
      await parts.ids.claim(chosenId);
      exchange.adopt(chosenId);
    }
    const settings = readSettings(headers.gateway);
    route = findRoute(settings, headers.hosts[0], parts.domain, parts.providers());
    exchange.provider = route.provider;
    checkPath(incoming.url);
    checkLimits(parts, route, headers);
    const shown = parts.headers.recorded(headers, route.provider);
    const { caching, retry } = readWishes(parts, request, headers, route);
    if (caching !== undefined) exchange.cache = {};
    const meta = beginMeta(exchange, incoming, headers, shown, key, route);
    const seen = new SeenRequest(requestFacts(exchange.id, meta, headers, route));
    const admitted: Admitted = { exchange, request, headers, route, seen, meta, retry };
    const { hooks } = parts;
    const readsBody = wantsBodyUser(parts, admitted);
    if (readsBody === true || (readsBody !== false && (await readsBody)))
      return await serveWithUser(parts, admitted, caching);
    if (hooks?.has("onRequest")) {
      const admission = askOnRequest(hooks, seen, exchange);
      if (admission !== undefined) await admission;
    }
    if (caching === undefined) {
      const admission = askToForward(parts, admitted);
      if (admission !== undefined) await admission;
    }

    const recorded = exchange.begin(meta);
    if (exchange.ended) return;
    if (!recorded && parts.refuseWhenFull) throw new GatewayError("spool_full");
    if (caching !== undefined) await serveCached(parts, admitted, caching);
    else if (retry !== undefined) await serveWithRetries(parts, admitted);
    else forward(parts, admitted);
  } catch (error) {
    refuse(parts, { exchange, request, headers, key, route }, error);
  }
}

/** What is asked of the cache and of retries; it is checked for a WebSocket as well, which has neither. */
function readWishes(parts: GatewayParts, { incoming, client }: ClientRequest, headers: RequestHeaders, route: Route) {
  const caching = cacheSettings(headers);
  const plan = readRetryPlan(headers.gateway);
  const retry = plan && { plan, targets: findFallbacks(parts, plan, route, incoming.url) };
  return client === undefined ? { caching, retry } : { caching: undefined, retry: undefined };
}

/** A request that is not passed on, as far as it was understood. */
interface Failed {
  readonly exchange: Exchange;
  readonly request: ClientRequest;
  readonly headers: RequestHeaders;
  readonly key: KeySnapshot | undefined;
  readonly route: Route | undefined;
}

/** Answers in the provider's place. Whoever came with a key that is known gets a record, with the body that is coming. */
function refuse(parts: GatewayParts, { exchange, request, headers, key, route }: Failed, thrown: unknown): void {
  const { incoming } = request;
  const error = explain(thrown, headers, parts);
  if (!(error instanceof GatewayError || error instanceof Refused))
    parts.log.error("a request failed in the gateway", { error: messageOf(error) });
  if (key !== undefined && !exchange.recording.begun) {
    const shown = parts.headers.recorded(headers, route?.provider);
    exchange.begin(beginMeta(exchange, incoming, headers, shown, key, route));
  }
  const own = error instanceof Refused ? fromRefusal(error.refusal, parts.idHeaders) : toOwnAnswer(error);
  const unread = exchange.upload === undefined && hasBody(headers);
  if (unread && isComing(request, headers, parts) && exchange.recording.begun)
    recordRefusedBody(exchange, incoming, () => exchange.answerOwn(own));
  else exchange.answerOwn(own);
}

/** Whether the body is on its way, and within what a request may have: a client that waits for leave sends none. */
function isComing({ incoming }: ClientRequest, { contentLength = 0 }: RequestHeaders, parts: GatewayParts): boolean {
  return !incoming.waitsForContinue && contentLength <= parts.bodyBytesMax;
}

function checkLimits(parts: GatewayParts, { target }: Route, { contentLength }: RequestHeaders): void {
  const refused = parts.guard.refuseHost(target.host, target.upstream.port);
  if (refused !== undefined) throw new GatewayError("target_forbidden", refused);
  if (contentLength !== undefined && contentLength > parts.bodyBytesMax)
    throw new GatewayError("body_too_large", bodyTooLarge(parts.bodyBytesMax));
}

function beginMeta(
  exchange: Exchange,
  incoming: IncomingRequest,
  headers: RequestHeaders,
  shown: readonly string[],
  key: KeySnapshot,
  route: Route | undefined,
): BeginMeta {
  const omit = readOmissions(headers.gateway);
  return {
    time: exchange.startedAt,
    method: incoming.method,
    path: escapeBytes(maskPath(incoming.url, maskOf(route?.provider).query)),
    target: route?.target.origin ?? "",
    provider: route?.providerName ?? PROVIDER_UNKNOWN,
    organization: key.organizationId,
    keyId: key.id,
    keyName: key.name,
    authHash: key.hash,
    headers: shown,
    gateway: recordedGatewayHeaders(headers.gateway),
    omitRequest: omit.request,
    omitResponse: omit.response,
  };
}

function requestFacts(id: string, meta: BeginMeta, headers: RequestHeaders, route: Route): RequestFacts {
  return {
    id,
    method: meta.method,
    path: meta.path,
    target: { origin: route.target.origin, host: route.target.host, owner: route.owner },
    provider: meta.provider,
    organizationId: meta.organization,
    keyId: meta.keyId,
    shown: meta.headers,
    gateway: headers.gateway,
  };
}
