import type { MappingOf } from "../../mapping/mapping.ts";
import type { ExchangeInput } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../plugin/contract.ts";
import { answerValue, type Body, requestValue } from "../bodies/body.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { toHeaders } from "./headers.ts";
import type { Labels } from "./labels.ts";

/** What readers and price functions see; the `Headers` objects are made only for those who look at them. */
export class RecordedExchange implements ExchangeInput {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly status: number;
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly events: ExchangeInput["events"];
  readonly provider: ProviderPlugin | undefined;
  readonly modelOverride: string | undefined;
  readonly mappingOf?: MappingOf;
  readonly #exchange: Exchange;
  #requestHeaders: Headers | undefined;
  #responseHeaders: Headers | undefined;

  constructor(
    exchange: Exchange,
    request: Body | undefined,
    response: Body | undefined,
    provider: ProviderPlugin | undefined,
    labels: Labels,
    mappingOf: MappingOf | undefined,
  ) {
    const { begin, head, end } = exchange;
    if (mappingOf !== undefined) this.mappingOf = mappingOf;
    this.#exchange = exchange;
    this.method = begin.method;
    this.path = begin.path;
    this.host = hostOf(begin.target);
    this.status = head?.status ?? end?.status ?? 0;
    this.requestBody = requestValue(request);
    this.responseBody = answerValue(response);
    this.events = response?.events;
    this.provider = provider;
    this.modelOverride = labels.settings.get("model-override");
  }

  get requestHeaders(): Headers {
    this.#requestHeaders ??= toHeaders(this.#exchange.begin.headers);
    return this.#requestHeaders;
  }

  get responseHeaders(): Headers {
    this.#responseHeaders ??= toHeaders(this.#exchange.head?.headers ?? []);
    return this.#responseHeaders;
  }
}

const hosts = new Map<string, string>();

/** Host of an origin, lower case, without port; the few that traffic goes to are remembered. */
function hostOf(target: string): string {
  const known = hosts.get(target);
  if (known !== undefined) return known;
  const host = URL.parse(target)?.hostname.toLowerCase() ?? "";
  if (hosts.size >= 1_000) hosts.clear();
  hosts.set(target, host);
  return host;
}
