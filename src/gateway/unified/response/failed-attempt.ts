import type { Failure } from "../../../routing/failure.ts";
import type { Admitted } from "../../admitted.ts";
import type { GatewayParts } from "../../gateway-parts.ts";
import { readResponseHeaders } from "../../headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "../../headers/secrets.ts";
import { type Ending, Recording } from "../../recording.ts";
import { withoutCache } from "../../retry/call-provider.ts";
import type { FailedOutcome } from "../call/outcome.ts";
import { whereOf, withoutKeys } from "./note-response.ts";

const UNREACHABLE = { code: "upstream_unreachable", message: "the provider could not be reached, or broke off" };
const TIMED_OUT = { code: "upstream_timeout", message: "the provider took too long to respond" };
/** A response with a success status that failed: it contains an error, has no end, or cannot be read. */
const UNREADABLE = {
  code: "upstream_malformed",
  message: "the provider's response was an error, or could not be read",
};

/** Records a failed call that is followed by another one: a separate record, in its provider's shape. */
export function recordFailedAttempt(
  { parts, admitted }: { readonly parts: GatewayParts; readonly admitted: Admitted },
  { attempt, head, bytes, failure }: FailedOutcome,
  number: number,
): void {
  const { exchange, meta } = admitted;
  const { candidate, outbound, request, counted } = attempt;
  const { provider } = candidate.target;
  const recording = new Recording(parts.spool, counted.id, parts.recordedBytesMax, exchange.clock);
  const startedAt = exchange.recording.forwardedAt ?? exchange.startedAt;
  recording.begin({
    ...meta,
    ...whereOf(attempt),
    headers: maskResponseHeaders(withoutKeys(request.headers), maskOf(provider).headers),
    gateway: withoutCache(meta),
    attemptOf: exchange.id,
    attempt: number,
    time: startedAt,
    routing: {
      ...(exchange.routing?.session !== undefined && { session: exchange.routing.session }),
      routedModel: candidate.model,
      route: candidate.target.route,
      reason: candidate.target.reason,
      credential: candidate.credential === "client" ? "client" : candidate.credential.name,
      stored: candidate.credential !== "client",
    },
  });
  recording.requestBody(outbound.body);
  recording.forwardedAt = startedAt;
  if (head !== undefined) {
    const { forward, contentType } = readResponseHeaders(head.headers);
    recording.head(head.status, maskResponseHeaders(forward, maskOf(provider).headers), contentType);
    if (bytes.byteLength > 0) recording.responseBody(bytes);
  }
  const ending = endingOf(head?.status, failure);
  recording.end(ending);
  counted.failed({ outcome: ending.outcome, status: ending.status ?? head?.status ?? 0 });
}

function endingOf(headStatus: number | undefined, { kind, status }: Failure): Ending {
  if (kind === "timeout") return { outcome: "upstream_timeout", status: 504, error: TIMED_OUT };
  if (headStatus === undefined || kind === "network")
    return { outcome: "upstream_failed", status: 502, error: UNREACHABLE };
  if (headStatus >= 400) return { outcome: "complete" };
  return { outcome: "upstream_failed", status: status || 502, error: UNREADABLE };
}
