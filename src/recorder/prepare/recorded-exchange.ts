import { type Body, requestValue, responseValue } from "../../bodies/body.ts";
import { toHeaders } from "../../bodies/headers.ts";
import type { MappingOf } from "../../mapping/mapping.ts";
import type { ExchangeInput } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../plugin-host/contract.ts";
import type { HeaderList } from "../../spool/header-list.ts";

/** One side of an exchange: the client's, or the provider's if it differs. */
export interface ReadSide {
  readonly method: string;
  readonly path: string;
  /** Origin, or "" without a target. */
  readonly target: string;
  readonly status: number;
  readonly request: Body | undefined;
  readonly response: Body | undefined;
  readonly requestHeaders: Pick<HeaderList, "pairs">;
  readonly responseHeaders: Pick<HeaderList, "pairs">;
  /** Undefined if the bodies are not in a provider's shape. */
  readonly provider: ProviderPlugin | undefined;
  readonly modelOverride: string | undefined;
  readonly mappingOf: MappingOf | undefined;
}

/** The input of readers and price functions; the `Headers` objects are created only when read. */
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
  readonly #side: Pick<ReadSide, "requestHeaders" | "responseHeaders">;
  #requestHeaders: Headers | undefined;
  #responseHeaders: Headers | undefined;

  constructor(side: ReadSide) {
    const { mappingOf, request, response } = side;
    if (mappingOf !== undefined) this.mappingOf = mappingOf;
    this.#side = side;
    this.method = side.method;
    this.path = side.path;
    this.host = hostOf(side.target);
    this.status = side.status;
    this.requestBody = requestValue(request);
    this.responseBody = responseValue(response);
    this.events = response?.events;
    this.provider = side.provider;
    this.modelOverride = side.modelOverride;
  }

  get requestHeaders(): Headers {
    this.#requestHeaders ??= toHeaders(this.#side.requestHeaders.pairs);
    return this.#requestHeaders;
  }

  get responseHeaders(): Headers {
    this.#responseHeaders ??= toHeaders(this.#side.responseHeaders.pairs);
    return this.#responseHeaders;
  }
}

const hosts = new Map<string, string>();

/** Host of an origin, lower case, without port. Cached: traffic goes to few hosts. */
function hostOf(target: string): string {
  const known = hosts.get(target);
  if (known !== undefined) return known;
  const host = URL.parse(target)?.hostname.toLowerCase() ?? "";
  if (hosts.size >= 1_000) hosts.clear();
  hosts.set(target, host);
  return host;
}
