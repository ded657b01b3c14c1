import type { CostInput } from "../../src/mapping/prices/cost.ts";
import type { ProviderPlugin, Usage } from "../../src/plugin-host/contract.ts";

export const provider = (name: string, members: Partial<ProviderPlugin> = {}): ProviderPlugin => ({
  apiVersion: 1,
  name,
  ...members,
});
/** An exchange that is priced by what its provider and model are called. */
export const input = (
  name: string,
  model: string,
  usage: Usage | undefined,
  members: Partial<CostInput> = {},
): CostInput => ({
  provider: provider(name),
  models: [model],
  usage,
  statedCost: undefined,
  exchange: {
    method: "POST",
    path: "/",
    host: "127.0.0.1",
    requestHeaders: new Headers(),
    requestBody: undefined,
    status: 200,
    responseHeaders: new Headers(),
  },
  at: new Date("2026-06-01T12:00:00Z"),
  ...members,
});
