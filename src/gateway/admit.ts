import { GatewayError } from "../errors.ts";
import type { KeySnapshot } from "../keys.ts";
import type { BodyNeed } from "../plugin-host/contract.ts";
import { PROVIDER_UNKNOWN } from "../record/provider.ts";
import type { BeginMeta } from "../spool/frame.ts";
import type { Admitted, Arrival } from "./admitted.ts";
import { requireGatewayScope, sentKey } from "./authenticate.ts";
import { readCacheSettings } from "./cache/settings.ts";
import { checkMessage } from "./check-message.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { GatewayHeader } from "./headers/gateway-header.ts";
import { type RequestHeaders, recordedGatewayHeaders, valuesOf } from "./headers/headers.ts";
import { maskOf, maskOfAll } from "./headers/secrets.ts";
import { readOmissions, readSettings } from "./headers/settings.ts";
import { bodyTooLarge } from "./refusal.ts";
import { findFallbacks } from "./retry/find-fallbacks.ts";
import { type RetryPlan, readRetryPlan } from "./retry/plan.ts";
import { type RequestFacts, SeenRequest } from "./seen-request.ts";
import { checkBytes, checkPath, findRoute, type Route, recordedPath } from "./target.ts";
import { asUnified } from "./unified/admission/address.ts";
import { admitUnified, clientApi, identifyUnified, NO_ROUTE } from "./unified/admission/admission.ts";

/** Identifies the caller of a request. @throws GatewayError. */
export function identify(parts: GatewayParts, arrival: Arrival): KeySnapshot {
  const { exchange, request, headers } = arrival;
  checkMessage(request, headers);
  const unified = asUnified(parts, request, headers);
  arrival.unified = unified;
  if (unified !== undefined) {
    exchange.errorShape = clientApi(parts, request.incoming);
    arrival.route = NO_ROUTE; // also for the record of a refusal
  }
  const key =
    unified === undefined
      ? sentKey(parts.keys, headers.auth, exchange.startedAt)
      : identifyUnified(parts, arrival, unified);
  if (!(key instanceof GatewayError)) arrival.key = key;
  checkBytes(request.incoming.url); // such a path is refused with any key, and recorded if the key is known
  if (key instanceof GatewayError) throw key;
  requireGatewayScope(key);
  return key;
}

/** Gives an exchange the id that the client chose. @throws GatewayError `duplicate_request_id`. */
export async function claimId(parts: GatewayParts, exchange: Exchange, id: string): Promise<void> {
  await parts.ids.claim(id);
  exchange.adopt(id);
}

/** Reads the head of a request: its target and settings. @throws GatewayError. */
export function admit(parts: GatewayParts, arrival: Arrival, key: KeySnapshot): Admitted {
  const { exchange, request, headers } = arrival;
  const { incoming } = request;
  const settings = headers.settings.once(readSettings);
  const unified = arrival.unified && admitUnified(parts, arrival, arrival.unified);
  const route =
    unified === undefined ? findRoute(settings, headers.hosts[0], parts.domain, parts.providers()) : NO_ROUTE;
  arrival.route = route;
  exchange.provider = route.provider;
  checkPath(incoming.url);
  if (unified === undefined) checkTarget(parts, route, exchange.startedMs);
  checkLength(parts, headers);
  const { caching, retry } = readWishes(parts, arrival, unified === undefined ? route : undefined);
  const meta = beginMeta(parts, arrival, key);
  const facts = requestFacts(meta, arrival, key, route);
  return {
    exchange,
    request,
    headers,
    route,
    facts,
    seen: new SeenRequest(facts),
    meta,
    key,
    unified,
    needs: NOTHING,
    client: undefined,
    caching,
    retry,
  };
}

const NOTHING: readonly BodyNeed[] = [];

/** The initial metadata of a request's record. */
export function beginMeta(parts: GatewayParts, arrival: Arrival, key: KeySnapshot): BeginMeta {
  const { exchange, request, headers } = arrival;
  const { incoming } = request;
  const route = arrival.route ?? routeOfRefused(parts, arrival);
  const isKnown = route !== undefined && route !== NO_ROUTE;
  const mask = isKnown ? maskOf(route.provider) : maskOfAll(parts.providers().providers);
  const omit = headers.settings.once(readOmissions);
  return {
    time: exchange.startedAt,
    method: incoming.method,
    path: recordedPath(incoming.url, mask.query),
    target: route?.target.origin ?? "",
    provider: route?.providerName ?? PROVIDER_UNKNOWN,
    organization: key.organizationId,
    keyId: key.id,
    keyName: key.name,
    authHash: key.hash,
    gateway: recordedGatewayHeaders(headers.gateway),
    omitRequest: omit.request,
    omitResponse: omit.response,
    headers: parts.headers.recorded(headers, mask.headers),
  };
}

/** The route of a request that is refused before it is looked for; undefined if the request names none. */
function routeOfRefused(parts: GatewayParts, { headers }: Arrival): Route | undefined {
  const lines = headers.settings.lines.filter(({ setting }) => setting.startsWith("target-"));
  try {
    return findRoute(readSettings(lines), headers.hosts[0], parts.domain, parts.providers());
  } catch {
    return undefined;
  }
}

/** Cache and retry settings. Also validated for a WebSocket, which uses neither. */
function readWishes(parts: GatewayParts, { exchange, request, headers }: Arrival, route: Route | undefined) {
  const settings = speaksOfCache(headers)
    ? readCacheSettings(headers.gateway, valuesOf(headers, "cache-control"))
    : undefined;
  // Fallbacks of the unified address name models; the unified code reads them.
  const plan = headers.settings.once(route === undefined ? readUnifiedRetries : readRetryPlan);
  const retry = plan && {
    plan,
    targets: route === undefined ? [] : findFallbacks(parts, plan, route, request.incoming.url),
  };
  if (request.client !== undefined) return { caching: undefined, retry: undefined };
  if (settings !== undefined) exchange.cache = {};
  // The cache key does not contain `Range`, so a range request bypasses the cache.
  const caching = settings === undefined || valuesOf(headers, "range").length > 0 ? undefined : settings;
  return { caching, retry };
}

/** `Gateway-Retry-Enabled: false` counts before the retries of a route; without the header the route's count. */
function readUnifiedRetries(lines: readonly GatewayHeader[]): RetryPlan | undefined {
  const plan = readRetryPlan(lines.filter(({ setting }) => setting !== "fallbacks"));
  return plan ?? (lines.some(({ setting }) => setting === "retry-enabled") ? NO_RETRIES : undefined);
}

const NO_RETRIES: RetryPlan = { triesMax: 1, waitMs: 0, factor: 1, waitMsMax: 0, fallbacks: [] };

/** Whether a request has any cache setting. */
export function speaksOfCache({ settings }: RequestHeaders): boolean {
  return settings.once(nameCache);
}

function nameCache(lines: readonly GatewayHeader[]): boolean {
  return lines.some(({ setting }) => setting.startsWith("cache-"));
}

function checkTarget(parts: GatewayParts, { target }: Route, nowMs: number): void {
  const refused = parts.guard.refuseHost(target.host, target.upstream.port, nowMs);
  if (refused !== undefined) throw new GatewayError("target_forbidden", refused);
}

function checkLength(parts: GatewayParts, { contentLength }: RequestHeaders): void {
  if (contentLength !== undefined && contentLength > parts.bodyBytesMax)
    throw new GatewayError("body_too_large", bodyTooLarge(parts.bodyBytesMax));
}

function requestFacts(meta: BeginMeta, arrival: Arrival, key: KeySnapshot, route: Route): RequestFacts {
  const { exchange, headers } = arrival;
  return {
    id: exchange.id,
    method: meta.method,
    path: meta.path,
    target: { origin: route.target.origin, host: route.target.host, owner: route.owner },
    provider: meta.provider,
    organizationId: meta.organization,
    keyId: meta.keyId,
    // At the unified address the key's model list was checked against the name that the client wrote, which may be a route.
    keyModels: arrival.unified === undefined ? key.models : null,
    shown: meta.headers,
    gateway: headers.gateway,
  };
}
