import { findProvider, type ModelInfo } from "@pydantic/genai-prices";
import { genaiPrices, TABLE_NAMES } from "./table.ts";

/** A model of the price table. */
interface PricedModel {
  readonly id: string;
  readonly name: string | undefined;
  /** Context window in tokens. */
  readonly context: number | undefined;
}

const known = new Map<string, readonly PricedModel[]>();

/** A provider's models in the price table; computed once. @param provider - upper case. */
export function pricedModels(provider: string): readonly PricedModel[] {
  let models = known.get(provider);
  if (models === undefined) {
    const id = Object.hasOwn(TABLE_NAMES, provider) ? TABLE_NAMES[provider] : undefined;
    const found = id === undefined ? undefined : findProvider({ providerId: id });
    models = (found?.models ?? []).map((model: ModelInfo) => ({
      id: model.id,
      name: model.name,
      context: model.context_window,
    }));
    known.set(provider, models);
  }
  return models;
}

/** The current price in US dollars of this many tokens; undefined if the table has no price. */
export function tablePrice(provider: string, model: string, input: number, output: number): number | undefined {
  return genaiPrices(provider, model, { input_tokens: input, output_tokens: output }, new Date())?.dollars;
}

/** So few tokens that no price for long requests applies. */
const SAMPLE = 1_000;

/** US dollars per token of a short request, without what the request itself costs; undefined if the table has none. */
export function tokenRates(provider: string, model: string) {
  const at = new Date();
  const rate = (units: Parameters<typeof genaiPrices>[2]) => {
    const price = genaiPrices(provider, model, units, at);
    return price === undefined ? undefined : Number(((price.dollars - price.fees) / SAMPLE).toPrecision(12));
  };
  const prompt = rate({ input_tokens: SAMPLE, output_tokens: 0 });
  if (prompt === undefined) return undefined;
  return {
    prompt,
    completion: rate({ input_tokens: 0, output_tokens: SAMPLE }),
    cacheRead: rate({ input_tokens: SAMPLE, output_tokens: 0, cache_read_tokens: SAMPLE }),
    cacheWrite: rate({ input_tokens: SAMPLE, output_tokens: 0, cache_write_tokens: SAMPLE }),
  };
}
