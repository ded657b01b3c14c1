import type { UpstreamCall, UpstreamEvents } from "../../runtime/http/upstream.ts";
import type { Admitted } from "../admitted.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { valuesOf } from "../headers/headers.ts";
import type { CacheHit } from "../headers/own-headers.ts";
import { readOmissions } from "../headers/settings.ts";
import { askOnForward } from "../hooks.ts";
import { callProvider, noteTarget } from "../retry/call-provider.ts";
import type { FallbackTarget } from "../retry/fallback-target.ts";
import { providerNamed } from "../unified/admission/provider-named.ts";
import { noteResponder } from "../unified/response/note-response.ts";
import { Replay } from "./replay.ts";
import type { CacheRequest, Claim, Passage, SharedFlight } from "./response-cache.ts";
import type { Entry } from "./response-index.ts";
import type { CacheSettings } from "./settings.ts";
import { isShareable, type ResponseHead, shareableHeaders } from "./stored-response.ts";

/** A request as the cache serves it. */
export interface CacheCall {
  readonly parts: GatewayParts;
  readonly exchange: Exchange;
  readonly request: CacheRequest;
  /** Calls the plugins before the provider. @throws Refused, GatewayError. */
  readonly ask: () => Promise<unknown>;
  /** Calls the provider. @param shared - records who responds, if it is not the request's own target. */
  readonly open: (events: UpstreamEvents, shared: SharedFlight) => UpstreamCall;
}

/**
 * Serves a pass-through request that uses the cache: with a stored response, with the response to an identical request in
 * flight, or from the provider, storing the response if allowed.
 *
 * @throws Refused, GatewayError if a plugin refuses or fails.
 */
export async function serveCached(
  parts: GatewayParts,
  admitted: Admitted,
  settings: CacheSettings,
  body: Uint8Array,
): Promise<void> {
  const { request, headers, route, retry } = admitted;
  await serveFromCache({
    parts,
    exchange: admitted.exchange,
    request: await toCacheRequest(parts, admitted, {
      settings,
      body,
      url: route.target.origin + request.incoming.url,
      credentials: parts.headers.credentials(headers, route.provider),
      provider: route.provider,
      retries: retry?.plan,
    }),
    ask: async () => askOnForward(parts, admitted),
    open(events, shared) {
      const onFallback = (target: FallbackTarget) => {
        // A fallback's response is not stored for the original target.
        shared.omit = true;
        shared.fallback = target;
      };
      return callProvider(parts, { admitted, body, onFallback }, events);
    },
  });
}

/** @throws what `ask` throws. */
export async function serveFromCache(call: CacheCall): Promise<void> {
  const { cache } = call.parts;
  await cache.store.loaded;
  while (!call.exchange.ended) {
    if (await take(call, cache.claim(call.request))) return;
  }
}

/** @returns false if what was claimed is gone: the caller must then claim again. */
function take(call: CacheCall, claim: Claim): Promise<boolean> {
  if (claim.kind === "hit") return replay(call, claim.entry);
  return claim.kind === "follow" ? follow(call, claim) : lead(call, claim);
}

async function replay({ parts, exchange }: CacheCall, entry: Entry): Promise<boolean> {
  const source = await parts.cache.store.open(entry);
  if (source === undefined) return false;
  if (exchange.ended) {
    await source.close();
    return true;
  }
  parts.cache.hits++;
  const hit = { referenceId: source.head.requestId, createdAt: entry.createdAt, place: entry.place };
  const given = () => source.head;
  exchange.receive((events) => new Replay(source, asHit(parts, exchange, { events, hit: () => hit, given })), false);
  return true;
}

async function follow({ parts, exchange }: CacheCall, { shared, reader }: Passage): Promise<boolean> {
  const launched = await shared.flight.launched;
  if (!launched || exchange.ended) {
    reader.abort();
    return exchange.ended;
  }
  parts.cache.hits++;
  const referenceId = shared.request.origin.requestId;
  const hit = () => ({ referenceId, createdAt: Date.now(), place: shared.place });
  const given = () => shared;
  exchange.receive((events) => reader.join(asHit(parts, exchange, { events, hit, given })), false);
  return true;
}

async function lead({ parts, exchange, ask, open }: CacheCall, { shared, reader }: Passage): Promise<boolean> {
  const { flight } = shared;
  try {
    await ask();
  } catch (error) {
    flight.abandon();
    throw error;
  }
  if (exchange.ended) {
    flight.abandon();
    return true;
  }
  parts.cache.misses++;
  exchange.receive((events) => {
    flight.launch((toFlight) => open(toFlight, shared));
    return reader.join(events);
  });
  return true;
}

/** The parts of a cache request that the caller supplies. */
interface CacheTerms extends Pick<CacheRequest, "settings" | "provider"> {
  readonly body: Uint8Array;
  readonly url: string;
  readonly credentials: readonly string[];
  /** Settings for a failing provider. */
  readonly retries: unknown;
  /** Undefined for the model that the body or the path names. */
  readonly model?: string | undefined;
}

export async function toCacheRequest(
  parts: GatewayParts,
  { exchange, request, headers, meta, seen }: Admitted,
  { settings, provider, body, url, credentials, retries, model: named }: CacheTerms,
): Promise<CacheRequest> {
  const organizationId = meta.organization;
  const { key, model } = await parts.content.key({
    organizationId,
    seed: settings.seed,
    method: request.incoming.method,
    url,
    credentials,
    acceptEncoding: valuesOf(headers, "accept-encoding").join(","),
    body,
    ignoredKeys: settings.ignoredKeys,
  });
  return {
    key,
    settings,
    origin: { organizationId, requestId: exchange.id, model: named ?? model, properties: seen.properties },
    provider,
    omitResponse: headers.settings.once(readOmissions).response,
    retries: retries === undefined ? "" : JSON.stringify(retries),
  };
}

interface Hit {
  readonly events: UpstreamEvents;
  readonly hit: () => CacheHit;
  /** Where the repeated response came from, if not from the request's own target. */
  readonly given: () => Pick<ResponseHead, "answerer"> & Partial<Pick<SharedFlight, "fallback">>;
}

/** Marks a response as a hit when its head arrives: only a success counts, although others may share a failure. */
function asHit(parts: GatewayParts, exchange: Exchange, { events, hit, given }: Hit): UpstreamEvents {
  const note = () => {
    const { answerer, fallback } = given();
    if (fallback !== undefined) noteTarget(exchange, fallback);
    if (answerer !== undefined)
      noteResponder(exchange, answerer, providerNamed(parts.providers(), answerer.provider), { calls: 0 });
  };
  return {
    onHead(status, reason, headers) {
      note();
      if (isShareable(status) && exchange.cache !== undefined) exchange.cache.hit = hit();
      events.onHead(status, reason, shareableHeaders(headers, exchange.provider));
    },
    onData: (bytes) => events.onData(bytes),
    onEnd: () => events.onEnd(),
    onError(error) {
      note();
      events.onError(error);
    },
  };
}
