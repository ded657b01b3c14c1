import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import type { Units } from "./units.ts";

/** Maximum remembered look-ups; all are forgotten when there are as many. */
const REMEMBERED_MAX = 2_000;
/** Maximum length of a cached name: a longer one is not a model, and would only fill the memory. */
const NAME_LENGTH_MAX = 200;
const DAY_MS = 86_400_000;
const MILLION = 1_000_000;

/** The parts of ordinary usage; their prices are computed here with the table's own arithmetic. */
const PLAIN: Readonly<Record<string, "input" | "output" | "read" | "write">> = {
  input_mtok: "input",
  output_mtok: "output",
  cache_read_mtok: "read",
  cache_write_mtok: "write",
};
const PLAIN_UNITS = new Set(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]);

/** Parts that only some models price separately, with the names of those prices. */
const PARTS: Readonly<Record<string, string>> = {
  input_audio_tokens: "input_audio_mtok",
  cache_audio_read_tokens: "cache_audio_read_mtok",
  output_audio_tokens: "output_audio_mtok",
  input_image_tokens: "input_image_mtok",
  cache_image_read_tokens: "cache_image_read_mtok",
  output_image_tokens: "output_image_mtok",
};

/** The result of a look-up: `null` if the table has no price. */
interface FoundPrice {
  readonly entry: string;
  readonly prices: ModelPrice;
  /** Whether tokens have a price, or the model is free. */
  readonly pricesTokens: boolean;
}

interface PricedModel {
  readonly provider: string;
  readonly model: string;
  readonly at: Date;
}

/**
 * Prices by provider, model and day. A look-up costs about 15 µs, mostly for matching the model against patterns and
 * validating the table; the multiplication costs nothing. Prices change at midnight UTC; those that depend on the hour, and
 * prices per request, are not cached; usage with other priced parts is priced by the table.
 */
export class RememberedPrices {
  /** By provider, model and day. A key made of the three would cost as much as the rest of a price. */
  readonly #found = new Map<string, Map<string, Map<number, FoundPrice | null>>>();
  #count = 0;

  /** `undefined` if it must be looked up. */
  get(provider: string, model: string, at: Date): FoundPrice | null | undefined {
    return this.#found.get(provider)?.get(model)?.get(dayOf(at));
  }

  /** @param info - the model in the table; missing if the table does not have it. */
  keep({ provider, model, at }: PricedModel, found: FoundPrice | null, info?: ModelInfo): void {
    if (model.length > NAME_LENGTH_MAX || Number.isNaN(at.getTime())) return;
    if (found !== null && (found.prices.requests_kcount !== undefined || dependsOnHour(info))) return;
    if (this.#count >= REMEMBERED_MAX) {
      this.#found.clear();
      this.#count = 0;
    }
    const models = this.#found.get(provider) ?? new Map<string, Map<number, FoundPrice | null>>();
    const days = models.get(model) ?? new Map<number, FoundPrice | null>();
    if (!days.has(dayOf(at))) this.#count++;
    this.#found.set(provider, models.set(model, days.set(dayOf(at), found)));
  }
}

/** Whether these prices are a plain product with all units: a part without its own price costs the same as the rest. */
export function isPlain(units: Units, prices: ModelPrice): boolean {
  for (const name in units) {
    if (PLAIN_UNITS.has(name)) continue;
    const ownPrice = Object.hasOwn(PARTS, name) ? PARTS[name]! : undefined;
    if (ownPrice === undefined || prices[ownPrice] !== undefined) return false;
  }
  return true;
}

/** The same operations in the same order as in the table, so that even the last digit is equal. */
export function plainPrice(prices: ModelPrice, units: Units): number {
  const { input_tokens: input = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 } = units;
  const read = prices.cache_read_mtok === undefined ? 0 : cache_read_tokens;
  const write = prices.cache_write_mtok === undefined ? 0 : cache_write_tokens;
  const counts = { input: input - (read + write), output: output_tokens, read, write };
  let inputPrice = 0;
  let outputPrice = 0;
  for (const name in prices) {
    const part = Object.hasOwn(PLAIN, name) ? PLAIN[name]! : undefined;
    const price = prices[name as keyof ModelPrice];
    if (part === undefined || price === undefined) continue;
    const dollars = priceOf(price, counts[part], input);
    if (part === "output") outputPrice += dollars;
    else inputPrice += dollars;
  }
  return inputPrice + outputPrice;
}

/** US dollars for a number of tokens. The tier of a tiered price depends on all input, cached or not. */
export function priceOf(price: NonNullable<ModelPrice[keyof ModelPrice]>, count: number, input: number): number {
  if (typeof price === "number") return (price * count) / MILLION;
  if (count <= 0) return 0;
  let rate = price.base;
  let from = -1;
  for (const tier of price.tiers) {
    if (input > tier.start && tier.start > from) [rate, from] = [tier.price, tier.start];
  }
  return (((rate * count) / MILLION) * MILLION) / MILLION;
}

function dependsOnHour(info: ModelInfo | undefined): boolean {
  const prices = info?.prices;
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === "time_of_date");
}

const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS);
