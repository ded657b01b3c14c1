import type { Json } from "../plugin/contract.ts";
import { filledText } from "./json.ts";

/** What a request's tier makes of the table's prices. */
interface TierPrice {
  /** Of the standard rates. */
  readonly factor: number;
  /** Behind the price's name in `cost_source`; empty at the standard tier. */
  readonly note: string;
}

/**
 * Tiers whose price is the same part of the standard rates for all models of a provider. OpenAI, "Flex processing" and
 * "Batch API": half; Anthropic, "Message Batches": half. Faster tiers cost another multiple for each model.
 */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  OPENAI: { flex: 0.5, batch: 0.5 },
  ANTHROPIC: { batch: 0.5 },
};

/** Names of the tier that the table's prices are of. With `scale` the capacity is paid for, not the request. */
const STANDARD: ReadonlySet<string> = new Set(["default", "standard", "auto", "on_demand", "scale"]);

const AT_STANDARD: TierPrice = { factor: 1, note: "" };

/** @param usageRaw - names the tier that answered, which may be another one than was asked for. */
export function tierPrice(provider: string, usageRaw: Json): TierPrice {
  const tier = filledText(usageRaw?.service_tier)?.toLowerCase();
  if (tier === undefined || STANDARD.has(tier)) return AT_STANDARD;
  const factors = Object.hasOwn(FACTORS, provider) ? FACTORS[provider]! : {};
  const factor = Object.hasOwn(factors, tier) ? factors[tier]! : undefined;
  if (factor !== undefined) return { factor, note: `, tier ${tier}: ${factor} of the standard rates` };
  return { factor: 1, note: `, at standard rates although the tier was ${tier.slice(0, 40)}` };
}
