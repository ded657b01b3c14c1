import { readBody, requestValue, responseValue } from "../../bodies/body.ts";
import { filledText } from "../../mapping/json.ts";
import { costOf } from "../../mapping/prices/cost.ts";
import { type ExchangeInput, type ExchangeReading, readExchange } from "../../mapping/read-exchange.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { bytesOf, type TrialExchange } from "./exchange.ts";

/** An exchange as the recorder reads it. */
export interface TrialReading {
  readonly input: ExchangeInput;
  readonly reading: ExchangeReading;
  /** US dollars; null if the price is unknown. */
  readonly cost: number | null;
  /** The error that the provider's `cost` threw. */
  readonly costFault: unknown;
}

/** Reads an exchange with the recorder's own readers. Never throws. */
export function readTrial(
  { request, response }: TrialExchange,
  provider: ProviderPlugin | undefined,
  at: Date,
): TrialReading {
  const url = new URL(request.url);
  const path = url.pathname + url.search;
  const responseHeaders = new Headers(response.headers);
  const requestBody = readBody(bytesOf(request.body), {
    ...{ contentType: "application/json", path, isResponse: false, incomplete: false },
  });
  const bytes = bytesOf(response.body);
  const contentType = filledText(responseHeaders.get("content-type"));
  const body =
    bytes.length === 0 ? undefined : readBody(bytes, { contentType, path, isResponse: true, incomplete: false });
  const input: ExchangeInput = {
    method: methodOf(request),
    path,
    host: url.hostname,
    requestHeaders: new Headers(request.headers),
    requestBody: requestValue(requestBody),
    status: response.status ?? 200,
    responseHeaders,
    provider,
    responseBody: responseValue(body),
    events: body?.events,
    modelOverride: undefined,
  };
  const reading = readExchange(input);
  let costFault: unknown;
  const { cost } = costOf({
    provider,
    models: [reading.responseModel ?? reading.model, reading.requestModel],
    usage: reading.usage,
    usageRaw: reading.usageRaw,
    statedCost: reading.cost,
    exchange: input,
    at,
    onFault: (error) => (costFault = error),
  });
  return { input, reading, cost, costFault };
}

export const methodOf = ({ method, body }: TrialExchange["request"]): string =>
  method?.toUpperCase() ?? (body === undefined ? "GET" : "POST");
