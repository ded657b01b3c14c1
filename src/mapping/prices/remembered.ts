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

/** What a model is charged by, as the names of its prices end. */
export type UnitKind = "_mtok" | "audio_hours" | "rerank_searches_kcount";
const KINDS: readonly UnitKind[] = ["_mtok", "audio_hours", "rerank_searches_kcount"];

/** The price of a model: a fact about the model and the day, never about what was used. */
export interface ModelPriceEntry {
  readonly provider: string;
  /** The model's name in the form that the table knows. */
  readonly spelling: string;
  /** Whether it is one of Weir's corrections. */
  readonly corrected: boolean;
  readonly prices: ModelPrice;
  readonly model: ModelInfo;
  /** The table with its date. */
  readonly table: string;
  /** The table with its date, and the provider and model of the entry. */
  readonly entry: string;
}

export interface PricedModel {
  readonly provider: string;
  readonly model: string;
  readonly kind: UnitKind;
  readonly at: Date;
}

/**
 * Prices by provider, model and day, as the table has them. A look-up costs about 15 µs, mostly for matching the model
 * against patterns and validating the table; the multiplication costs nothing. Prices change at midnight UTC; those that
 * depend on the hour are not cached; usage with other priced parts is priced by the table.
 */
export class RememberedPrices {
  /** By provider, model and period. A key made of them would cost as much as the rest of a price. */
  readonly #found = new Map<string, Map<string, Map<number, ModelPriceEntry | null>>>();
  #count = 0;

  /** `null` if the table has no price; `undefined` if it must be looked up. */
  get(wanted: PricedModel): ModelPriceEntry | null | undefined {
    return this.#found.get(wanted.provider)?.get(wanted.model)?.get(periodOf(wanted));
  }

  /** @param found - null if the table has no price. */
  keep(wanted: PricedModel, found: ModelPriceEntry | null): void {
    const { provider, model, at } = wanted;
    if (model.length > NAME_LENGTH_MAX || Number.isNaN(at.getTime())) return;
    if (found !== null && dependsOnHour(found.model)) return;
    if (this.#count >= REMEMBERED_MAX) {
      this.#found.clear();
      this.#count = 0;
    }
    const models = this.#found.get(provider) ?? new Map<string, Map<number, ModelPriceEntry | null>>();
    const periods = models.get(model) ?? new Map<number, ModelPriceEntry | null>();
    const period = periodOf(wanted);
    if (!periods.has(period)) this.#count++;
    this.#found.set(provider, models.set(model, periods.set(period, found)));
  }
}

/** Whether these prices are a plain product with all units: a part without its own price costs the same as the rest. */
export function isPlain(units: Units, prices: ModelPrice): boolean {
  if (prices.requests_kcount !== undefined) return false;
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

function dependsOnHour({ prices }: ModelInfo): boolean {
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === "time_of_date");
}

/** The number of a day and kind of unit. */
const periodOf = ({ kind, at }: PricedModel) => Math.floor(at.getTime() / DAY_MS) * KINDS.length + KINDS.indexOf(kind);
