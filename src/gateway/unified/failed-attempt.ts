import { uuidv7 } from "../../runtime/uuid.ts";
import type { Admitted } from "../admit.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { readResponseHeaders } from "../headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "../headers/secrets.ts";
import { Recording } from "../recording.ts";
import { whereOf, withoutKeys } from "./answered.ts";
import type { Attempt } from "./attempt.ts";
import type { FailedOutcome } from "./outcome.ts";

const UNREACHABLE = { code: "upstream_unreachable", message: "the provider could not be reached, or broke off" };
/** A success that was none: an error inside it, no end, or nothing that can be read. */
const UNREADABLE = {
  code: "upstream_malformed",
  message: "the provider's response was an error, or could not be read",
};

/** Records a call that failed and is followed by another one: a record of its own, in its provider's shape. */
export function recordFailedAttempt(
  { parts, admitted }: { readonly parts: GatewayParts; readonly admitted: Admitted },
  attempt: Attempt,
  number: number,
  { head, bytes, failure }: FailedOutcome,
): void {
  const { exchange, meta } = admitted;
  const { candidate, outbound, request } = attempt;
  const { provider } = candidate.target;
  const recording = new Recording(parts.spool, uuidv7(), parts.recordedBytesMax, exchange.clock);
  const startedAt = exchange.recording.forwardedAt ?? exchange.startedAt;
  recording.begin({
    ...meta,
    ...whereOf(attempt),
    headers: maskResponseHeaders(withoutKeys(request.headers), maskOf(provider).headers),
    attemptOf: exchange.id,
    attempt: number,
    time: startedAt,
  });
  recording.requestBody(outbound.body);
  recording.forwardedAt = startedAt;
  const routing = {
    routing: {
      routedModel: candidate.model,
      route: candidate.target.route,
      reason: candidate.target.reason,
      credential: candidate.credential === "client" ? "client" : candidate.credential.name,
      stored: candidate.credential !== "client",
      mapping: "NO_MAPPING",
      warnings: [],
    },
  };
  if (head !== undefined) {
    const { forward, contentType } = readResponseHeaders(head.headers);
    recording.head(head.status, maskResponseHeaders(forward, maskOf(provider).headers), contentType, routing);
    if (bytes.byteLength > 0) recording.responseBody(bytes);
    if (head.status >= 400) recording.end({ outcome: "complete" });
    else recording.end({ outcome: "upstream_failed", status: failure.status || 502, error: UNREADABLE });
  } else {
    const timedOut = failure.kind === "timeout";
    recording.end({
      outcome: timedOut ? "upstream_timeout" : "upstream_failed",
      status: timedOut ? 504 : 502,
      error: UNREACHABLE,
    });
  }
}
