import { UnframedEvents, type UsageStripper } from "../../../unified/passed-streams.ts";
import { pairsWhere } from "../../headers/headers.ts";
import { NameSet } from "../../headers/name-set.ts";
import { readResponseHeaders } from "../../headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "../../headers/secrets.ts";
import type { ResponseOptions } from "../call/outcome.ts";

/** A provider's status line and headers, raw pairs. */
export interface ProviderHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
}

/** They name the account of a stored credential. */
const WITHHELD = new NameSet(["openai-organization", "anthropic-organization-id", "set-cookie"]);

/** A header's first value; empty if missing. @param name - lower case. */
export function headerValue(headers: readonly string[], name: string): string {
  for (let at = 0; at < headers.length; at += 2) {
    const raw = headers[at]!;
    if (raw.length === name.length && raw.toLowerCase() === name) return headers[at + 1]!;
  }
  return "";
}

/** The headers of a response in the client's own shape. @param filter - what changes its body, if anything. */
export function passedHeaders(
  headers: readonly string[],
  filter: UnframedEvents | UsageStripper | undefined,
): readonly string[] {
  if (filter === undefined && !headers.some(isWithheld)) return headers;
  const isUnframed = filter instanceof UnframedEvents;
  const kept = pairsWhere(headers, (raw) => {
    if (WITHHELD.has(raw)) return false;
    const name = raw.toLowerCase();
    return !(isUnframed && name === "content-type") && (filter === undefined || name !== "content-length");
  });
  return isUnframed ? [...kept, "Content-Type", "text/event-stream"] : kept;
}

const isWithheld = (text: string, at: number) => at % 2 === 0 && WITHHELD.has(text);

/** Records the head of the provider's own response if the client gets a different one. */
export function noteProviderHead({ admitted, attempt }: ResponseOptions, { status, headers }: ProviderHead): void {
  const { forward, contentType } = readResponseHeaders(headers);
  const { provider } = attempt.candidate.target;
  const shown = maskResponseHeaders(forward, maskOf(provider).headers);
  admitted.exchange.recording.providerHead(status, shown, contentType);
}
