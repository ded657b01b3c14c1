import type { ExchangeView, Json, ProviderPlugin, Usage } from "../plugin/contract.ts";
import { isObject, numberOf, pickDefined } from "./json.ts";
import { costLines, type OwnPriceOf, totalOf } from "./own-price.ts";
import { genaiPrices, type PriceTable } from "./price-table.ts";
import { tierPrice } from "./service-tier.ts";
import { inputTokens } from "./usage.ts";

export interface CostInput {
  readonly provider: ProviderPlugin | undefined;
  /** Names to look the price up by, the most telling first: override, response, request. */
  readonly models: readonly (string | null | undefined)[];
  readonly usage: Usage | undefined;
  /** The usage block as sent: it counts searches, seconds and billed units, which are paid for but are no tokens; and the tier. */
  readonly usageRaw?: Json;
  /** What the provider itself says that the request cost. */
  readonly statedCost: number | undefined;
  readonly exchange: ExchangeView;
  /** What those who run this deployment say that its models cost. */
  readonly ownPrice?: OwnPriceOf | undefined;
  /** When the request was made: prices change, and some depend on the hour. */
  readonly at: Date;
  /** Told what the provider's own rule threw; its price counts as not known then. */
  readonly onFault?: (error: unknown) => void;
}

/** US dollars and where they come from; both null where the price is not known. */
export interface Cost {
  readonly cost: number | null;
  readonly source: string | null;
}

/** US dollars. More is a slip or malice, and would drown the sums that it is a part of. */
const STATED_MAX = 1_000_000;

const UNKNOWN: Cost = { cost: null, source: null };

/**
 * What an exchange cost, by the first who knows: those who run this deployment, the provider plugin's own rule, the
 * provider itself, the price table. Where nobody does it is unknown, which is never 0. Never throws.
 */
export function costOf(input: CostInput, table: PriceTable = genaiPrices): Cost {
  const { provider, statedCost, usage } = input;
  const models = input.models.filter((name) => typeof name === "string" && name !== "") as string[];
  const own = input.ownPrice?.(models);
  const lines = own && costLines(own.price, usage);
  if (own !== undefined && lines !== undefined) return { cost: totalOf(lines), source: own.source };
  const ruled = usage === undefined ? null : byRule(input, usage, models[0] ?? "");
  if (ruled !== null) return { cost: ruled, source: `plugin ${provider?.name}` };
  if (statedCost !== undefined && statedCost <= STATED_MAX)
    return { cost: statedCost, source: "stated by the provider" };
  const units = unitsOf(usage, input.usageRaw);
  if (provider === undefined || units === undefined) return UNKNOWN;
  for (const model of models) {
    const price = table(provider.name, model, units, input.at);
    if (price === undefined) continue;
    const { factor, note } = tierPrice(provider.name, input.usageRaw);
    return { cost: price.dollars * factor, source: price.entry + note };
  }
  return UNKNOWN;
}

/** A provider's rule may be anybody's code; what is no amount of money counts as "not known". */
function byRule({ provider, exchange, onFault }: CostInput, usage: Usage, model: string): number | null {
  try {
    const cost = provider?.cost?.(usage, model, exchange);
    return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : null;
  } catch (error) {
    onFault?.(error);
    return null;
  }
}

/** What is paid for, under the names of price tables: all input and all output, and the parts that cost otherwise. */
export interface Units {
  readonly input_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly cache_write_1h_tokens?: number;
  readonly input_audio_tokens?: number;
  readonly cache_audio_read_tokens?: number;
  readonly output_tokens?: number;
  readonly output_audio_tokens?: number;
  readonly web_searches?: number;
  readonly audio_seconds?: number;
}

/** What of a usage is paid for; `undefined` where nothing is known. */
export function unitsOf(usage: Usage | undefined, raw: Json): Units | undefined {
  const seconds = raw?.type === "duration" ? numberOf(raw.seconds) : undefined;
  if (seconds !== undefined) return { audio_seconds: seconds };
  const billed = isObject(raw?.billed_units) ? raw.billed_units : undefined;
  const input = numberOf(billed?.input_tokens) ?? inputTokens(usage);
  if (input === undefined || usage === undefined) return undefined;
  const output = numberOf(billed?.output_tokens) ?? usage.completion_tokens ?? 0;
  const read = billed === undefined ? within(usage.prompt_cache_read_tokens, input) : undefined;
  const write = within(usage.prompt_cache_write_tokens, input - (read ?? 0));
  const audio = within(usage.prompt_audio_tokens, input);
  return pickDefined({
    input_tokens: input,
    cache_read_tokens: read,
    cache_write_tokens: write,
    cache_write_1h_tokens: within(usage.prompt_cache_write_1h_tokens, write ?? 0),
    input_audio_tokens: audio,
    // How much of the cached input was sound is not said; it is at least what does not fit beside it.
    cache_audio_read_tokens: audio && read ? Math.max(0, audio + read - input) : undefined,
    output_tokens: output,
    output_audio_tokens: within(usage.completion_audio_tokens, output),
    web_searches: numberOf(raw?.server_tool_use?.web_search_requests),
  });
}

/** A part that is there, and is no larger than what it is a part of. */
function within(part: number | undefined, whole: number): number | undefined {
  return part === undefined || part <= 0 ? undefined : Math.min(part, whole);
}
