import type { ExchangeInput, ExchangeReading } from "../mapping/read-exchange.ts";

/** What readers see of an exchange. The same object twice where the client sent and got what the provider got and sent. */
export interface Inputs {
  /** Who asked and what was answered: text, ids and format are the client's. */
  readonly client: ExchangeInput;
  /** What was used and paid: in the shape of the provider, on its path. */
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

/** What both sides tell, as one: the client's, but for what the provider used, what that costs, and the model it names. */
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
