import { maskPath } from "../../../masking/mask.ts";
import type { Loss, ProviderPlugin } from "../../../plugin-host/contract.ts";
import type { RoutingMeta } from "../../../spool/frame.ts";
import { headersBeside } from "../../../spool/sent-headers.ts";
import { mappingOf, UNMAPPED } from "../../../unified/body-mapping.ts";
import type { Endpoint } from "../../../unified/endpoints.ts";
import type { Exchange } from "../../exchange.ts";
import { pairsWhere, toHeaderValue } from "../../headers/headers.ts";
import { NameSet } from "../../headers/name-set.ts";
import { maskOf, maskResponseHeaders, shownValue } from "../../headers/secrets.ts";
import type { Attempt } from "../call/attempt.ts";
import type { ResponseOptions } from "../call/outcome.ts";
import type { Responder } from "../call/responder.ts";

const WARNING_BYTES_MAX = 2_048;
const NOTHING: readonly never[] = [];

/** What was lost or estimated, one clause each, such as `dropped seed`. */
export function warningsOf(
  { attempt: { outbound }, work: { dropped = NOTHING } }: Pick<ResponseOptions, "attempt" | "work">,
  estimated: boolean,
): readonly string[] {
  const losses = outbound.kind === "same" ? NOTHING : outbound.losses;
  if (losses.length === 0 && dropped.length === 0 && !estimated) return NOTHING;
  return [
    ...dropped.map((path) => `dropped ${path}`),
    ...losses.map(({ kind, path }: Loss) => `${kind} ${path}`),
    ...(estimated ? ["estimated usage"] : []),
  ];
}

/** The warnings as a header of at most 2 kB; the rest is only counted. */
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

/** Sets on the exchange who responds, for its record and its headers. Called right before its head is sent. */
export function noteResponse(options: ResponseOptions, warnings: readonly string[]): void {
  const { admitted, attempt, number, failures, work } = options;
  const { exchange } = admitted;
  const { candidate, outbound } = attempt;
  const { provider } = candidate.target;
  const responder = responderOf(attempt, work.admission.endpoint, warnings);
  const isStored = candidate.credential !== "client";
  noteResponder(exchange, responder, provider, {
    calls: number,
    reason: failures.length === 0 ? candidate.target.reason : `fallback from ${failures.join(", ")}`,
    credential: candidate.credential === "client" ? "client" : candidate.credential.name,
    stored: isStored,
  });
  const { body: changed } = outbound;
  if (changed !== work.body && Buffer.compare(changed, work.body) !== 0) noteSent(options);
  options.onResponse?.(responder, candidate);
}

/** Records what the provider was sent. */
function noteSent({ admitted, attempt, work }: ResponseOptions): void {
  const { outbound, candidate } = attempt;
  const { recording } = admitted.exchange;
  const masked = maskOf(candidate.target.provider).headers;
  const { headers } = attempt.request;
  const edits = outbound.kind === "same" && work.isAsSent ? outbound.edits : undefined;
  if (edits !== undefined && recording.takesEdits(edits)) {
    const shown = (name: string, value: string) => (isOfKey(name) ? undefined : shownValue(name, value, masked));
    recording.sentEdited(headersBeside(headers, admitted.meta.headers, shown), edits);
  } else recording.providerRequest({ headers: maskResponseHeaders(withoutKeys(headers), masked), body: outbound.body });
}

/** The same value for all calls of one way that lose nothing. */
function responderOf(attempt: Attempt, endpoint: Endpoint, warnings: readonly string[]): Responder {
  const { way, path, outbound } = attempt;
  const isUsual = warnings.length === 0 && path === way.path;
  const isSame = outbound.kind === "same";
  const from = isSame ? SAME : "shape" in endpoint ? endpoint.shape : "";
  const known = isUsual ? way.responders.get(from) : undefined;
  if (known !== undefined) return known;
  const mapping = isSame ? UNMAPPED : mappingOf(from);
  const { model, target } = attempt.candidate;
  const responder: Responder = {
    provider: target.provider.name,
    target: way.origin,
    isTranslated: !isSame,
    routing: { routedModel: model, path: whereOf(attempt).path, route: target.route, mapping, warnings },
  };
  if (isUsual) way.responders.set(from, responder);
  return responder;
}

/** Stands for a shape if the response is in the client's own. */
const SAME = "=";

/** The part of a record's routing that its answerer does not hold. */
interface Responding extends Pick<RoutingMeta, "reason" | "credential" | "stored"> {
  /** Number of calls made for this request; none if it shares another request's response. */
  readonly calls: number;
}

export function noteResponder(
  exchange: Exchange,
  { target, isTranslated, routing, provider: name }: Responder,
  provider: ProviderPlugin | undefined,
  { calls, ...chosen }: Responding,
): void {
  exchange.provider = provider;
  exchange.attempt = calls > 1 ? { attempt: calls, target, provider: name } : { target, provider: name };
  // Every exchange has a value of its own.
  exchange.routing = Object.assign(exchange.routing ?? {}, routing, chosen);
  const { routedModel = "", route = null, warnings = [] } = routing;
  const own = ["gateway-provider", name, "gateway-model", toHeaderValue(routedModel)];
  if (route !== null) own.push("gateway-route", toHeaderValue(route));
  own.push("gateway-attempts", String(calls));
  if (warnings.length > 0) own.push("gateway-warning", toHeaderValue(warningHeader(warnings)));
  if (isTranslated) own.push("x-request-id", exchange.id, "request-id", exchange.id);
  exchange.ownHeaders = own;
}

/** Headers that carry a credential. */
const KEYS = new NameSet(["authorization", "x-api-key", "api-key", "x-goog-api-key"]);
const AWS = /^x-amz-/i;

/** The request's headers without those that carry the credential. */
export function withoutKeys(headers: readonly string[]): string[] {
  return pairsWhere(headers, (name) => !isOfKey(name));
}

const isOfKey = (name: string) => KEYS.has(name) || AWS.test(name);

/** Where a failed attempt was sent, for its record. */
export function whereOf({ candidate, way, path }: Attempt) {
  const { provider } = candidate.target;
  return { target: way.origin, path: maskPath(path, maskOf(provider).query), provider: provider.name };
}
