import { maskPath } from "../../masking/mask.ts";
import type { UpstreamCall, UpstreamEvents } from "../../runtime/http/upstream.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { BeginMeta, RawHeaders } from "../../spool/frame.ts";
import type { Admitted } from "../admit.ts";
import type { Exchange } from "../exchange.ts";
import { toUpstream, withBody } from "../forward.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { readResponseHeaders } from "../headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "../headers/secrets.ts";
import { askFor } from "../hooks.ts";
import { Recording } from "../recording.ts";
import { Refused } from "../refusal.ts";
import { type RequestFacts, SeenRequest } from "../seen-request.ts";
import { Attempts, type Try } from "./attempts.ts";
import { type FallbackTarget, fallbackRequest } from "./fallback-request.ts";
import type { FailedTry } from "./try-answer.ts";

/**
 * Calls the provider, and calls again or calls another one as the client asked for. Each failed try is a record of its
 * own that names the client's request; the answer that the client gets is the client's record.
 *
 * @param body - kept until there is an answer; its size was bounded when it was gathered.
 */
export function callProvider(
  parts: GatewayParts,
  admitted: Admitted,
  body: Uint8Array,
  events: UpstreamEvents,
  onFallback: (target: FallbackTarget) => void = () => undefined,
): UpstreamCall {
  const first = withBody(toUpstream(parts, admitted), body);
  const { retry, exchange } = admitted;
  if (retry === undefined) return parts.upstream.open(first, events);
  const { plan, targets } = retry;
  const targetOf = ({ fallback }: Try) => targets[fallback];
  return new Attempts(
    {
      clock: exchange.clock,
      plan,
      first,
      open: (request, toTry) => parts.upstream.open(request, toTry),
      async fallback(place) {
        const target = targets[place]!;
        const request = await fallbackRequest(parts, admitted, target, body);
        if (request === undefined || !(await mayCall(parts, admitted, target))) return undefined;
        return request;
      },
      onWait: (waitMs) => exchange.awaitProgress(parts.upstreamTimeoutMs + waitMs),
      onFailed: (failed, head) => recordFailed(parts, admitted, failed, targetOf(failed), body, head),
      onAnswered(answered) {
        const target = targetOf(answered);
        exchange.recording.forwardedAt = answered.startedAt;
        if (target === undefined) exchange.attempt = { attempt: answered.number };
        else {
          answeredBy(exchange, target, answered.number);
          onFallback(target);
        }
      },
    },
    events,
  );
}

/** Notes who answered a request in its target's place. @param attempt - which try that was, where the tries are its own. */
export function answeredBy(exchange: Exchange, target: FallbackTarget, attempt?: number): void {
  exchange.attempt = { ...(attempt !== undefined && { attempt }), ...whereTo(target) };
  exchange.provider = target.route.provider;
}

/** Whether the plugins let a request go to a fallback: another host may have limits of its own. */
async function mayCall(
  parts: GatewayParts,
  { facts: first, exchange }: Admitted,
  fallback: FallbackTarget,
): Promise<boolean> {
  if (parts.hooks === undefined) return true;
  const { target, owner } = fallback.route;
  const facts: RequestFacts = {
    ...first,
    ...whereTo(fallback),
    id: uuidv7(),
    fallbackOf: exchange.id,
    target: { origin: target.origin, host: target.host, owner },
  };
  try {
    await askFor(parts.hooks, new SeenRequest(facts), facts, exchange);
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) parts.log.warn("a plugin failed on a fallback", { target: target.origin });
    return false;
  }
}

function recordFailed(
  parts: GatewayParts,
  { meta, exchange }: Admitted,
  { number, startedAt }: Try,
  target: FallbackTarget | undefined,
  body: Uint8Array,
  head: { status: number; headers: string[] } | undefined,
): FailedTry {
  const recording = new Recording(parts.spool, uuidv7(), parts.recordedBytesMax, exchange.clock);
  const where = target === undefined ? {} : whereTo(target);
  const link = { attemptOf: exchange.id, attempt: number };
  recording.begin({ ...meta, ...where, ...link, time: startedAt, gateway: withoutCache(meta) });
  recording.requestBody(body);
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

/** A try asks no cache; the request that it belongs to may have. */
function withoutCache({ gateway }: BeginMeta): RawHeaders {
  return gateway.filter((_, at) => !gateway[at - (at % 2)]!.toLowerCase().startsWith("gateway-cache-"));
}
