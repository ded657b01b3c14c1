import { maskPath } from "../../masking/mask.ts";
import type { UpstreamCall, UpstreamEvents } from "../../runtime/http/upstream.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { BeginMeta, RawHeaders } from "../../spool/frame.ts";
import type { Admitted } from "../admitted.ts";
import { modelOfPath } from "../body/content.ts";
import type { Exchange } from "../exchange.ts";
import { type Outgoing, outgoing } from "../forward.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { type RequestHeaders, replaceHeaders } from "../headers/headers.ts";
import { readResponseHeaders } from "../headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "../headers/secrets.ts";
import { askFor, learnFromBody } from "../hooks.ts";
import { Recording } from "../recording.ts";
import { Refused } from "../refusal.ts";
import { type RequestFacts, SeenRequest } from "../seen-request.ts";
import { Attempts, type Try } from "./attempts.ts";
import { fallbackBody, fallbackRequest } from "./fallback-request.ts";
import type { FallbackTarget } from "./fallback-target.ts";
import type { FailedTry } from "./try-response.ts";

interface ProviderCall {
  readonly admitted: Admitted;
  /** Kept until there is a response; its size was bounded when it was read. */
  readonly body: Uint8Array;
  readonly onFallback?: (target: FallbackTarget) => void;
}

/**
 * Calls the provider, with the retries and fallbacks that the client set. Each failed try is a separate record that names
 * the client's request; the response that the client gets is in the client's record.
 */
export function callProvider(
  parts: GatewayParts,
  { admitted, body, onFallback }: ProviderCall,
  events: UpstreamEvents,
): UpstreamCall {
  const first = outgoing(parts, admitted, body);
  const { retry, exchange } = admitted;
  const clientBody = admitted.client?.body ?? body;
  const open = ({ request, instead }: Outgoing, toTry: UpstreamEvents) => {
    exchange.recording.providerRequest(instead);
    return parts.upstream.open(request, toTry);
  };
  if (retry === undefined) return open(first, events);
  const { plan, targets } = retry;
  const targetOf = ({ fallback }: Try) => targets[fallback];
  return new Attempts(
    {
      clock: exchange.clock,
      plan,
      first,
      open,
      async fallback(place) {
        const target = targets[place]!;
        const own = await fallbackBody(parts, admitted, target, body);
        return own && fallbackIfAdmitted(parts, admitted, { target, body: own, clientBody });
      },
      onWait: (waitMs) => exchange.awaitProgress(parts.upstreamTimeoutMs + waitMs),
      onFailed: (failed, head) =>
        recordFailed(parts, admitted, { ...failed, target: targetOf(failed), clientBody }, head),
      onResponse(responded) {
        const target = targetOf(responded);
        exchange.recording.forwardedAt = responded.startedAt;
        if (target === undefined) exchange.attempt = { attempt: responded.number };
        else {
          noteTarget(exchange, target, responded.number);
          onFallback?.(target);
        }
      },
    },
    events,
  );
}

/** Records which fallback responded in the target's place. @param attempt - the number of the try, if the request counts them. */
export function noteTarget(exchange: Exchange, target: FallbackTarget, attempt?: number): void {
  exchange.attempt = { ...(attempt !== undefined && { attempt }), ...whereTo(target) };
  exchange.provider = target.route.provider;
}

/**
 * The request for a fallback, if the plugins allow it: another host may have its own limits, and another model may be
 * forbidden.
 */
async function fallbackIfAdmitted(
  parts: GatewayParts,
  admitted: Admitted,
  own: { readonly target: FallbackTarget; readonly body: Uint8Array; readonly clientBody: Uint8Array },
): Promise<Outgoing | undefined> {
  const { facts: first, needs, exchange } = admitted;
  const { hooks } = parts;
  const { target, owner } = own.target.route;
  const facts: RequestFacts = {
    ...first,
    ...whereTo(own.target),
    id: uuidv7(),
    fallbackOf: exchange.id,
    target: { origin: target.origin, host: target.host, owner },
    model: modelOfPath(own.target.path),
  };
  try {
    const headers = own.target.fallback.body === undefined ? admitted.headers : withoutCoding(parts, admitted.headers);
    if (needs.length > 0) await learnFromBody(parts, { facts, headers, needs }, own.body);
    const change = hooks && (await askFor(hooks, { seen: new SeenRequest(facts), facts }, exchange));
    return await fallbackRequest(parts, { ...admitted, headers }, { ...own, change });
  } catch (error) {
    if (!(error instanceof Refused)) parts.log.warn("a plugin failed on a fallback", { target: target.origin });
    return undefined;
  }
}

/** Headers for a body whose members were replaced, which decompressed it. */
function withoutCoding(parts: GatewayParts, { raw }: RequestHeaders): RequestHeaders {
  return parts.headers.read(replaceHeaders(raw, { "Content-Encoding": null }));
}

interface RecordedTry extends Try {
  /** Undefined for the client's own. */
  readonly target: FallbackTarget | undefined;
  readonly clientBody: Uint8Array;
}

function recordFailed(
  parts: GatewayParts,
  { meta, exchange }: Admitted,
  { number, startedAt, outgoing, target, clientBody }: RecordedTry,
  head: { status: number; headers: readonly string[] } | undefined,
): FailedTry {
  const recording = new Recording(parts.spool, uuidv7(), parts.recordedBytesMax, exchange.clock);
  const where = target === undefined ? {} : whereTo(target);
  const link = { attemptOf: exchange.id, attempt: number };
  recording.begin({ ...meta, ...where, ...link, time: startedAt, gateway: withoutCache(meta) });
  recording.requestBody(clientBody);
  recording.providerRequest(outgoing.instead);
  recording.forwardedAt = startedAt;
  if (head !== undefined) {
    const { forward, contentType } = readResponseHeaders(head.headers);
    const provider = target === undefined ? exchange.provider : target.route.provider;
    recording.head(head.status, maskResponseHeaders(forward, maskOf(provider).headers), contentType);
  }
  const error = { code: "upstream_unreachable", message: "the provider could not be reached, or broke off" };
  return {
    onData: (bytes) => recording.responseBody(bytes),
    onEnd: (whole) =>
      recording.end(
        whole ? { outcome: "complete" } : { outcome: "upstream_failed", status: head?.status ?? 502, error },
      ),
  };
}

function whereTo({ route, path }: FallbackTarget) {
  return {
    target: route.target.origin,
    path: maskPath(path, maskOf(route.provider).query),
    provider: route.providerName,
  };
}

/** A try never uses the cache, although its request may have. */
export function withoutCache({ gateway }: Pick<BeginMeta, "gateway">): RawHeaders {
  return gateway.filter((_, at) => !gateway[at - (at % 2)]!.toLowerCase().startsWith("gateway-cache-"));
}
