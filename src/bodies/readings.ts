import type { ExchangeInput, ExchangeReading } from "../mapping/read-exchange.ts";

/**
 * The two sides of an exchange for readers. Both are the same object if the client and the provider exchanged the same
 * bytes.
 */
export interface Inputs {
  /** The client's side: source of text, ids and format. */
  readonly client: ExchangeInput;
  /** The provider's side, in its shape and on its path: source of usage and cost. */
  readonly provider: ExchangeInput;
}

export interface Readings {
  readonly client: ExchangeReading;
  readonly provider: ExchangeReading;
}

export function readBoth(inputs: Inputs, read: (input: ExchangeInput) => ExchangeReading): Readings {
  const client = read(inputs.client);
  return { client, provider: inputs.provider === inputs.client ? client : read(inputs.provider) };
}

/** Merges both readings: the client's, but with the provider's usage, cost and model. */
export function merged({ client, provider }: Readings): ExchangeReading {
  if (client === provider) return client;
  const { usage: _, usageRaw: __, usageEstimated: ___, cost: ____, ...said } = client;
  const { usage, usageRaw, usageEstimated, cost, responseModel = said.responseModel, error, fault } = provider;
  return {
    ...said,
    ...(responseModel !== undefined && { responseModel }),
    ...(usage !== undefined && { usage }),
    ...(usageRaw !== undefined && { usageRaw }),
    ...(usageEstimated !== undefined && { usageEstimated }),
    ...(cost !== undefined && { cost }),
    ...(said.error === undefined && error !== undefined && { error }),
    ...(fault !== undefined && { fault }),
  };
}
