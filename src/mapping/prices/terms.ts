import type { Json } from "../../plugin/contract.ts";
import { countOf, filledText } from "../json.ts";

/** What a request's terms make of the table's prices. */
interface PriceTerms {
  /** Of the standard rates of tokens; what is paid by the call or the search stays. */
  readonly factor: number;
  /** Behind the price's name in `cost_source`; empty at standard terms. */
  readonly note: string;
}

/**
 * Tiers whose price is the same part of the standard rates for all models of a provider. OpenAI, "Flex processing" and
 * "Batch API": half; Anthropic, "Message Batches": half; Gemini, "Flex inference" and "Batch": half. Faster tiers cost
 * another multiple for each model.
 */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  OPENAI: { flex: 0.5, batch: 0.5 },
  ANTHROPIC: { batch: 0.5 },
  GOOGLE: { flex: 0.5, batch: 0.5 },
};

/** Names of the terms that the table's prices are of. With the last two the capacity is paid for, not the request. */
const STANDARD: ReadonlySet<string> = new Set([
  ...["default", "standard", "auto", "on_demand", "traffic_type_unspecified"],
  ...["scale", "provisioned_throughput"],
]);

/** Anthropic, "Data residency": all tokens of a request that stays in the United States, which only newer models offer. */
const US_ONLY_FACTOR = 1.1;

/** @param usageRaw - names the terms of the answer, which may be others than were asked for. */
export function priceTerms(provider: string, usageRaw: Json): PriceTerms {
  let factor = 1;
  let note = "";
  for (const [term, value] of Object.entries(termsOf(usageRaw))) {
    if (value === undefined || STANDARD.has(value)) continue;
    const known = factorOf(provider, value);
    factor *= known ?? 1;
    const shown = value.slice(0, 40);
    note +=
      known === undefined
        ? `, at standard rates although the ${term} was ${shown}`
        : `, ${term} ${shown}: ${known} of the standard rates`;
  }
  if (provider === "ANTHROPIC" && usageRaw?.inference_geo === "us") {
    factor *= US_ONLY_FACTOR;
    note += `, kept in the US: ${US_ONLY_FACTOR} of the standard rates`;
  }
  if (countOf(usageRaw?.tool_usage?.image_gen?.total_tokens)) note += ", without the pictures that a tool made";
  return { factor, note };
}

/** OpenAI, Anthropic and Groq say `service_tier`, Gemini `serviceTier`, Vertex `trafficType`; Anthropic's fast mode is a `speed`. */
function termsOf(usageRaw: Json): Readonly<Record<"tier" | "speed", string | undefined>> {
  const tier = [usageRaw?.service_tier, usageRaw?.serviceTier, usageRaw?.trafficType].map(filledText).find(Boolean);
  return {
    tier: tier?.toLowerCase().replace(/^on_demand_/, ""),
    speed: filledText(usageRaw?.speed)?.toLowerCase(),
  };
}

function factorOf(provider: string, tier: string): number | undefined {
  const factors = Object.hasOwn(FACTORS, provider) ? FACTORS[provider]! : {};
  return Object.hasOwn(factors, tier) ? factors[tier] : undefined;
}
