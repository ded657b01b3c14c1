import { maskPath } from "../../masking/mask.ts";
import type { Loss } from "../../plugin/contract.ts";
import { mappingOf, UNMAPPED } from "../../unified/body-mapping.ts";
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

/** Notes on the exchange who answers it, for its record and its headers. Called right before its head leaves. */
export function noteAnswered(options: ResponseOptions, warnings: readonly string[]): void {
  const { admitted, attempt, number, failures, work } = options;
  const { exchange } = admitted;
  const { candidate, outbound } = attempt;
  const { provider } = candidate.target;
  const { endpoint } = work.admission;
  const shape = "shape" in endpoint ? endpoint.shape : "";
  const credential = candidate.credential === "client" ? "client" : candidate.credential.name;
  exchange.provider = provider;
  exchange.attempt = {
    ...(number > 1 && { attempt: number }),
    target: attempt.origin,
    provider: provider.name,
  };
  exchange.routing = {
    ...exchange.routing,
    routedModel: candidate.model,
    path: whereOf(attempt).path,
    route: candidate.target.route,
    reason: failures.length === 0 ? candidate.target.reason : `fallback from ${failures.join(", ")}`,
    credential,
    stored: credential !== "client",
    mapping: outbound.kind === "same" ? UNMAPPED : mappingOf(shape),
    warnings,
  };
  const { body: changed } = outbound;
  const { recording } = exchange;
  if (!Buffer.from(changed).equals(Buffer.from(work.body)))
    recording.providerRequest({
      headers: maskResponseHeaders(withoutKeys(attempt.request.headers), maskOf(provider).headers),
      body: changed,
    });
  exchange.ownHeaders = [
    ...["gateway-provider", provider.name],
    ...["gateway-model", candidate.model],
    ...(candidate.target.route === null ? [] : ["gateway-route", candidate.target.route]),
    ...["gateway-attempts", String(number)],
    ...(warnings.length === 0 ? [] : ["gateway-warning", warningHeader(warnings)]),
    ...(outbound.kind !== "same" ? ["x-request-id", exchange.id, "request-id", exchange.id] : []),
  ];
}

/** The request's headers without those that carry the credential. */
export function withoutKeys(headers: readonly string[]): string[] {
  return headers.filter(
    (_, at) => !/^(?:authorization|x-api-key|api-key|x-goog-api-key|x-amz-.*)$/i.test(headers[at - (at % 2)]!),
  );
}

/** Where a failed attempt went, for its record. */
export function whereOf({ candidate, origin, path }: Attempt) {
  const { provider } = candidate.target;
  return { target: origin, path: maskPath(path, maskOf(provider).query), provider: provider.name };
}
