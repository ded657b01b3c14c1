import type { Inputs } from "../../bodies/readings.ts";
import type { MappingOf } from "../../mapping/mapping.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { UNMAPPED } from "../../unified/body-mapping.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Labels } from "./labels.ts";
import type { ProviderBodies } from "./provider-parts.ts";
import { type ReadSide, RecordedExchange } from "./recorded-exchange.ts";
import { headersOf, providerPath, routingOf, type Side } from "./sides.ts";

interface Bodies {
  readonly request: Side;
  readonly response: Side;
  readonly provider: ProviderBodies | undefined;
}

/** The responding provider, and its mappings. */
interface ProviderSide {
  readonly provider: ProviderPlugin | undefined;
  readonly mappingOf: MappingOf | undefined;
}

/** What readers see of an exchange, for the client's side and for the provider's. */
export function inputsOf(
  exchange: Exchange,
  { request, response, provider: other }: Bodies,
  labels: Labels,
  providerSide: ProviderSide,
): Inputs {
  const { begin, head, end } = exchange;
  const routing = routingOf(exchange);
  const { provider, mappingOf } = providerSide;
  // What the client exchanged, read by the rules of the provider that responded.
  const whole: ReadSide = {
    method: begin.method,
    path: providerPath(exchange),
    target: begin.target,
    status: head?.status ?? end?.status ?? 0,
    request: request.body,
    response: response.body,
    requestHeaders: headersOf(exchange, "request"),
    responseHeaders: headersOf(exchange, "response"),
    provider,
    modelOverride: labels.settings.get("model-override"),
    mappingOf,
  };
  const isTranslated = (routing?.mapping ?? UNMAPPED) !== UNMAPPED;
  const responseBody = other?.provider_response.body;
  if (responseBody === undefined && !isTranslated) {
    const input = new RecordedExchange(whole);
    return { client: input, provider: input };
  }
  // The path determines the client's shape, for every provider.
  const own = routing === undefined ? whole : { ...whole, provider: undefined, mappingOf: undefined };
  const client = new RecordedExchange({ ...own, path: begin.path });
  if (responseBody === undefined) return { client, provider: client };
  const requestHead = exchange.provider?.requestHead;
  const input = new RecordedExchange({
    ...whole,
    status: exchange.provider?.responseHead?.status ?? whole.status,
    request: requestHead === undefined ? request.body : other?.provider_request.body,
    response: responseBody,
    requestHeaders: requestHead === undefined ? whole.requestHeaders : headersOf(exchange, "provider_request"),
    responseHeaders: headersOf(exchange, "provider_response"),
  });
  return { client, provider: input };
}
