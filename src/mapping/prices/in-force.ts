import type { OwnPrice, OwnPriceOf } from "./own.ts";
import { genaiRates } from "./table.ts";

/** The current price of a model, in US dollars per million tokens and per request. */
interface PriceInForce {
  /** The `cost_source` that its records will have; null if no price is known. */
  readonly source: string | null;
  /** Empty if a provider's own rule decides, because a rule is code. */
  readonly price: OwnPrice;
}

/** Names in the table, and Weir's names. */
const NAMES: readonly (readonly [theirs: string, ours: keyof OwnPrice])[] = [
  ["input_mtok", "input"],
  ["output_mtok", "output"],
  ["cache_read_mtok", "cache_read"],
  ["cache_write_mtok", "cache_write"],
  ["cache_write_1h_mtok", "cache_write_1h"],
  ["input_audio_mtok", "input_audio"],
  ["output_audio_mtok", "output_audio"],
];
const SOME = { input_tokens: 1_000, output_tokens: 1_000 };

/**
 * @param models - names for the price look-up of its requests, the most specific first.
 * @param ruledBy - the provider plugin, if it has its own rule.
 */
export function priceInForce(
  { provider, models }: { readonly provider: string; readonly models: readonly string[] },
  own: OwnPriceOf | undefined,
  ruledBy: string | undefined,
  at: Date,
): PriceInForce {
  const found = own?.(models);
  if (found !== undefined) return found;
  if (ruledBy !== undefined) return { source: `plugin ${ruledBy}`, price: {} };
  const rated = models.map((model) => genaiRates(provider, model, SOME, at)).find((each) => each !== undefined);
  if (rated === undefined) return { source: null, price: {} };
  return { source: rated.table, price: toPrice(rated.rates) };
}

/** Of prices that rise with the length of a request, the lowest step is shown. */
function toPrice(rates: unknown): OwnPrice {
  const price: { [K in keyof OwnPrice]: OwnPrice[K] } = {};
  for (const [theirs, ours] of NAMES) {
    const rate = (rates as Readonly<Record<string, unknown>>)[theirs];
    const dollars = typeof rate === "number" ? rate : (rate as { readonly base?: unknown } | undefined)?.base;
    if (typeof dollars === "number") price[ours] = dollars;
  }
  const { requests_kcount: perThousand } = rates as { readonly requests_kcount?: unknown };
  if (typeof perThousand === "number") price.request = perThousand / 1_000;
  return price;
}
