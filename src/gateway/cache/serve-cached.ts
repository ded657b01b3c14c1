import type { UpstreamEvents } from "../../runtime/http/upstream.ts";
import type { Admitted } from "../admit.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { valuesOf } from "../headers/headers.ts";
import type { CacheHit } from "../headers/own-headers.ts";
import { readOmissions } from "../headers/settings.ts";
import { askOnForward } from "../hooks.ts";
import { answeredBy, callProvider } from "../retry/call-provider.ts";
import type { FallbackTarget } from "../retry/fallback-request.ts";
import type { Entry } from "./answer-index.ts";
import { Replay } from "./replay.ts";
import type { CacheRequest, Claim, Passage } from "./response-cache.ts";
import type { CacheSettings } from "./settings.ts";
import { isShareable, shareableHeaders } from "./stored-answer.ts";

/**
 * Answers a request that asks for the cache: with a stored answer, with the answer of an identical request in flight,
 * or from the provider, and then maybe keeps that answer.
 *
 * @throws Refused, GatewayError where a plugin refuses or fails.
 */
export async function serveCached(
  parts: GatewayParts,
  admitted: Admitted,
  settings: CacheSettings,
  body: Uint8Array,
): Promise<void> {
  const { cache } = parts;
  await cache.store.loaded;
  const { exchange } = admitted;
  const request = await toCacheRequest(parts, admitted, settings, body);
  while (!exchange.ended) {
    if (await take(parts, admitted, cache.claim(request), body)) return;
  }
}

/** @returns false where what was claimed is gone, so that the cache is to be asked again. */
function take(parts: GatewayParts, admitted: Admitted, claim: Claim, body: Uint8Array): Promise<boolean> {
  if (claim.kind === "hit") return replay(parts, admitted, claim.entry);
  return claim.kind === "follow" ? follow(parts, admitted, claim) : lead(parts, admitted, claim, body);
}

async function replay({ cache }: GatewayParts, { exchange }: Admitted, entry: Entry): Promise<boolean> {
  const source = await cache.store.open(entry);
  if (source === undefined) return false;
  if (exchange.ended) {
    await source.close();
    return true;
  }
  cache.hits++;
  const hit = { referenceId: source.head.requestId, createdAt: entry.createdAt, place: entry.place };
  exchange.receive(
    (events) =>
      new Replay(
        source,
        asHit(exchange, events, () => hit),
      ),
    false,
  );
  return true;
}

async function follow({ cache }: GatewayParts, { exchange }: Admitted, { shared, reader }: Passage): Promise<boolean> {
  const launched = await shared.flight.launched;
  if (!launched || exchange.ended) {
    reader.abort();
    return exchange.ended;
  }
  cache.hits++;
  const referenceId = shared.request.origin.requestId;
  const hit = () => ({ referenceId, createdAt: Date.now(), place: shared.place });
  exchange.receive((events) => reader.join(asHit(exchange, events, hit, shared)), false);
  return true;
}

async function lead(
  parts: GatewayParts,
  admitted: Admitted,
  { shared, reader }: Passage,
  body: Uint8Array,
): Promise<boolean> {
  const { flight } = shared;
  const { exchange } = admitted;
  try {
    await askOnForward(parts, admitted);
  } catch (error) {
    flight.abandon();
    throw error;
  }
  if (exchange.ended) {
    flight.abandon();
    return true;
  }
  parts.cache.misses++;
  // What another provider answered in this one's place is nothing to be repeated.
  const onFallback = (target: FallbackTarget) => {
    shared.omit = true;
    shared.fallback = target;
  };
  exchange.receive((events) => {
    flight.launch((toFlight) => callProvider(parts, admitted, body, toFlight, onFallback));
    return reader.join(events);
  });
  return true;
}

async function toCacheRequest(
  parts: GatewayParts,
  { exchange, request, headers, route, meta, seen, retry }: Admitted,
  settings: CacheSettings,
  body: Uint8Array,
): Promise<CacheRequest> {
  const organizationId = meta.organization;
  const { key, model } = await parts.content.key({
    organizationId,
    seed: settings.seed,
    method: request.incoming.method,
    url: route.target.origin + request.incoming.url,
    credentials: parts.headers.credentials(headers, route.provider),
    acceptEncoding: valuesOf(headers, "accept-encoding").join(","),
    body,
    ignoredKeys: settings.ignoredKeys,
  });
  return {
    key,
    settings,
    origin: { organizationId, requestId: exchange.id, model, properties: seen.properties },
    provider: route.provider,
    omitResponse: readOmissions(headers.gateway).response,
    retries: retry === undefined ? "" : JSON.stringify(retry.plan),
  };
}

/** Marks an answer as a hit when its head comes: only a success is one, whoever else shares a failure. */
function asHit(
  exchange: Exchange,
  events: UpstreamEvents,
  hit: () => CacheHit,
  shared?: Passage["shared"],
): UpstreamEvents {
  return {
    onHead(status, reason, headers) {
      if (shared?.fallback !== undefined) answeredBy(exchange, shared.fallback);
      if (isShareable(status) && exchange.cache !== undefined) exchange.cache.hit = hit();
      events.onHead(status, reason, shareableHeaders(headers, exchange.provider));
    },
    onData: (bytes) => events.onData(bytes),
    onEnd: () => events.onEnd(),
    onError: (error) => events.onError(error),
  };
}
