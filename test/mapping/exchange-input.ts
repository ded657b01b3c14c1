import type { ExchangeInput } from "../../src/mapping/read-exchange.ts";
import type { StreamEvent } from "../../src/plugin-host/contract.ts";

/** A chat exchange without bodies, for what a test does not set. */
export const exchange = (members: Partial<ExchangeInput>): ExchangeInput => ({
  method: "POST",
  path: "/v1/chat/completions",
  host: "127.0.0.1",
  requestHeaders: new Headers(),
  requestBody: undefined,
  status: 200,
  responseHeaders: new Headers(),
  provider: undefined,
  responseBody: undefined,
  events: undefined,
  modelOverride: undefined,
  ...members,
});

export const events = (...data: unknown[]): StreamEvent[] => data.map((each) => ({ data: each }));
