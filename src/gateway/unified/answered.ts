import { maskPath } from "../../masking/mask.ts";
import type { Loss, ProviderPlugin } from "../../plugin/contract.ts";
import type { RoutingMeta } from "../../spool/frame.ts";
import { mappingOf, UNMAPPED } from "../../unified/body-mapping.ts";
import type { Exchange } from "../exchange.ts";
import { pairsWhere } from "../headers/headers.ts";
import { maskOf, maskResponseHeaders } from "../headers/secrets.ts";
import type { Attempt } from "./attempt.ts";
import type { ResponseOptions } from "./outcome.ts";

const WARNING_BYTES_MAX = 2_048;

/** What was lost or guessed, a clause each, such as `dropped seed`. */
export function warningsOf({ outbound }: Attempt, estimated: boolean): readonly string[] {
  const losses = outbound.kind === "same" ? [] : outbound.losses;
  return [...losses.map(({ kind, path }: Loss) => `${kind} ${path}`), ...(estimated ? ["estimated usage"] : [])];
}

/** As a header: at most 2 kB, and then how many there are more. */
function warningHeader(warnings: readonly string[]): string {
  const all = warnings.join(", ");
  if (Buffer.byteLength(all) <= WARNING_BYTES_MAX) return all;
  let text = "";
  for (const [at, warning] of warnings.entries()) {
    const rest = `and ${warnings.length - at} more`;
    const next = text === "" ? warning : `${text}, ${warning}`;
    if (Buffer.byteLength(`${next}, ${rest}`) > WARNING_BYTES_MAX) return text === "" ? rest : `${text}, ${rest}`;
    text = next;
  }
  return text;
}

/** Who gave a response, as everyone sees it who gets it. Plain: the cache keeps it beside the response. */
export interface Answerer {
  readonly provider: string;
  readonly target: string;
  readonly isTranslated: boolean;
  readonly routing: RoutingMeta;
}

/** Notes on the exchange who answers it, for its record and its headers. Called right before its head leaves. */
export function noteAnswered(options: ResponseOptions, warnings: readonly string[]): void {
  const { admitted, attempt, number, failures, work } = options;
  const { exchange } = admitted;
  const { candidate, outbound, origin } = attempt;
  const { provider, route } = candidate.target;
  const { endpoint } = work.admission;
  const credential = candidate.credential === "client" ? "client" : candidate.credential.name;
  const answerer: Answerer = {
    provider: provider.name,
    target: origin,
    isTranslated: outbound.kind !== "same",
    routing: {
      routedModel: candidate.model,
      path: whereOf(attempt).path,
      route,
      mapping: outbound.kind === "same" ? UNMAPPED : mappingOf("shape" in endpoint ? endpoint.shape : ""),
      warnings,
    },
  };
  noteAnswerer(exchange, answerer, provider, number);
  exchange.routing = {
    ...exchange.routing,
    reason: failures.length === 0 ? candidate.target.reason : `fallback from ${failures.join(", ")}`,
    credential,
    stored: credential !== "client",
  };
  const { body: changed } = outbound;
  if (Buffer.compare(changed, work.body) !== 0)
    exchange.recording.providerRequest({
      headers: maskResponseHeaders(withoutKeys(attempt.request.headers), maskOf(provider).headers),
      body: changed,
    });
  options.onAnswered?.(answerer, candidate);
}

/** @param calls - how many were made for this request: none where it gets what another one got. */
export function noteAnswerer(
  exchange: Exchange,
  { target, isTranslated, routing, provider: name }: Answerer,
  provider: ProviderPlugin | undefined,
  calls: number,
): void {
  exchange.provider = provider;
  exchange.attempt = { ...(calls > 1 && { attempt: calls }), target, provider: name };
  exchange.routing = { ...exchange.routing, ...routing };
  const { routedModel = "", route = null, warnings = [] } = routing;
  exchange.ownHeaders = [
    ...["gateway-provider", name],
    ...["gateway-model", routedModel],
    ...(route === null ? [] : ["gateway-route", route]),
    ...["gateway-attempts", String(calls)],
    ...(warnings.length === 0 ? [] : ["gateway-warning", warningHeader(warnings)]),
    ...(isTranslated ? ["x-request-id", exchange.id, "request-id", exchange.id] : []),
  ];
}

/** The request's headers without those that carry the credential. */
export function withoutKeys(headers: readonly string[]): string[] {
  return pairsWhere(headers, (name) => !/^(?:authorization|x-api-key|api-key|x-goog-api-key|x-amz-.*)$/i.test(name));
}

/** Where a failed attempt went, for its record. */
export function whereOf({ candidate, origin, path }: Attempt) {
  const { provider } = candidate.target;
  return { target: origin, path: maskPath(path, maskOf(provider).query), provider: provider.name };
}
