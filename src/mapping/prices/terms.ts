import type { Json } from "../../plugin-host/contract.ts";
import { countOf, filledText } from "../json.ts";

/** How a request's terms change the table's prices. */
interface PriceTerms {
  /** Factor for the standard token rates; prices per call or search stay. */
  readonly factor: number;
  /** Suffix of the price's name in `cost_source`; empty at standard terms. */
  readonly note: string;
}

/**
 * Tiers whose price is a fixed fraction of the standard rates for all models of a provider. OpenAI, "Flex processing" and
 * "Batch API": half; Anthropic, "Message Batches": half; Gemini, "Flex inference" and "Batch": half. Faster tiers cost a
 * different multiple for each model.
 */
const FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  OPENAI: { flex: 0.5, batch: 0.5 },
  ANTHROPIC: { batch: 0.5 },
  GOOGLE: { flex: 0.5, batch: 0.5 },
};

/** Names of terms at which the table's prices apply. With the last two, capacity is charged instead of requests. */
const STANDARD: ReadonlySet<string> = new Set([
  ...["default", "standard", "auto", "on_demand", "traffic_type_unspecified"],
  ...["scale", "provisioned_throughput"],
]);

/** The request's settings and target. */
interface PricedRequest {
  readonly provider: string;
  /** Host of the target, without port. */
  readonly host: string;
  readonly models: readonly string[];
}

/**
 * Factor for all tokens of a request with data residency. Anthropic, "Data residency": `inference_geo`; Vertex, since Claude
 * 4.5: every endpoint except the global one. For Bedrock the table has it, by the model's name.
 */
const KEPT_FACTOR = 1.1;
const KEPT_ON_VERTEX = /claude-(?:(?:sonnet|haiku|opus)-(?:4-[5-9]|[5-9])|fable)/;

/** @param usageRaw - contains the terms of the response, which may differ from the requested ones. */
export function priceTerms(request: PricedRequest, usageRaw: Json): PriceTerms {
  let factor = 1;
  let note = "";
  for (const [term, value] of termsOf(usageRaw)) {
    if (STANDARD.has(value)) continue;
    const known = factorOf(request.provider, value);
    factor *= known ?? 1;
    const shown = value.slice(0, 40);
    note +=
      known === undefined
        ? `, at standard rates although the ${term} was ${shown}`
        : `, ${term} ${shown}: ${known} of the standard rates`;
  }
  if (isKept(request, usageRaw)) {
    factor *= KEPT_FACTOR;
    note += `, kept in a region: ${KEPT_FACTOR} of the standard rates`;
  }
  if (countOf(usageRaw?.tool_usage?.image_gen?.total_tokens)) note += ", without the pictures that a tool made";
  return { factor, note };
}

function isKept({ provider, host, models }: PricedRequest, usageRaw: Json): boolean {
  if (provider === "ANTHROPIC") return usageRaw?.inference_geo === "us";
  return provider === "GOOGLE" && /.-aiplatform|\.rep\./.test(host) && models.some((name) => KEPT_ON_VERTEX.test(name));
}

/** OpenAI, Anthropic and Groq use `service_tier`, Gemini `serviceTier`, Vertex `trafficType`; Anthropic's fast mode is a `speed`. */
function termsOf(usageRaw: Json): readonly (readonly ["tier" | "speed", string])[] {
  const tier =
    filledText(usageRaw?.service_tier) ?? filledText(usageRaw?.serviceTier) ?? filledText(usageRaw?.trafficType);
  const speed = filledText(usageRaw?.speed);
  if (speed === undefined && (tier === undefined || STANDARD.has(tier))) return NO_TERMS;
  return [
    ...(tier === undefined ? [] : [["tier", tier.toLowerCase().replace(/^on_demand_/, "")] as const]),
    ...(speed === undefined ? [] : [["speed", speed.toLowerCase()] as const]),
  ];
}

const NO_TERMS: readonly never[] = [];

function factorOf(provider: string, tier: string): number | undefined {
  const factors = Object.hasOwn(FACTORS, provider) ? FACTORS[provider]! : {};
  return Object.hasOwn(factors, tier) ? factors[tier] : undefined;
}
