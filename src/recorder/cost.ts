import type { ExchangeView, ProviderPlugin, Usage } from "../plugin/contract.ts";

export interface Cost {
  /** US dollars. */
  readonly cost: number | null;
  readonly cost_source: string | null;
}

const UNKNOWN: Cost = { cost: null, cost_source: null };

export interface CostQuestion {
  readonly provider: ProviderPlugin | undefined;
  readonly usage: Usage | undefined;
  readonly model: string | null;
  readonly view: ExchangeView;
  /** What the answer itself said it cost. */
  readonly stated: number | undefined;
  readonly cached: boolean;
}

/**
 * What an exchange cost: nothing for a cache hit, else what the provider said, else what its plugin computes.
 * A price that is not known is null, never 0.
 */
export function costOf({ provider, usage, model, view, stated, cached }: CostQuestion): Cost {
  if (cached) return { cost: 0, cost_source: "cache" };
  if (isPrice(stated)) return { cost: stated, cost_source: "provider" };
  if (provider?.cost === undefined || usage === undefined || model === null) return UNKNOWN;
  try {
    const cost = provider.cost(usage, model, view);
    return isPrice(cost) ? { cost, cost_source: `plugin:${provider.name}` } : UNKNOWN;
  } catch {
    // A price function that fails on odd usage knows no price; the record matters more.
    return UNKNOWN;
  }
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
