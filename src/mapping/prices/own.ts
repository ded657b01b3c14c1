import type { Static } from "@sinclair/typebox";
import type { OWN_PRICE_SCHEMA } from "../../config.ts";
import type { Usage } from "../../plugin-host/contract.ts";
import { inputTokens } from "../usage.ts";

export type OwnPrice = Static<typeof OWN_PRICE_SCHEMA>;

/** Maximum characters of a model's name for price look-ups. A longer name is not a model and has no price. */
export const MODEL_LENGTH_MAX = 512;

/** A price in the configuration; `model` may end in `*`. */
export interface PriceEntry extends OwnPrice {
  readonly provider: string;
  readonly model: string;
}

/** The price of the first of these models that has one. */
export type OwnPriceOf = (
  models: readonly string[],
) => { readonly price: OwnPrice; readonly source: string } | undefined;

/** One factor of a cost. */
export interface CostLine {
  readonly what: string;
  readonly count: number;
  /** US dollars per million units. */
  readonly perMillion: number;
  readonly dollars: number;
}

/** The cost of each part of the usage; undefined if nothing can be priced. */
export function costLines(price: OwnPrice, usage: Usage | undefined): readonly CostLine[] | undefined {
  const lines: CostLine[] = [];
  if (price.request !== undefined) {
    lines.push({ what: "request", count: 1, perMillion: price.request * 1e6, dollars: price.request });
  }
  const add = (what: string, count: number, perMillion: number) => {
    if (count > 0) lines.push({ what, count, perMillion, dollars: (count * perMillion) / 1e6 });
  };
  const { input, output } = price;
  if (input === undefined && output === undefined) return price.request === undefined ? undefined : lines;
  const inputCount = inputTokens(usage);
  if (inputCount === undefined && usage?.completion_tokens === undefined) return undefined;
  const prompt = inputCount ?? 0;
  const read = Math.min(usage?.prompt_cache_read_tokens ?? 0, prompt);
  const write = Math.min(usage?.prompt_cache_write_tokens ?? 0, prompt - read);
  const audio = Math.min(usage?.prompt_audio_tokens ?? 0, prompt - read - write);
  add("input tokens", prompt - read - write - audio, input ?? 0);
  add("cached input tokens", read, price.cache_read ?? input ?? 0);
  const hour = Math.min(usage?.prompt_cache_write_1h_tokens ?? 0, write);
  const toWrite = price.cache_write ?? input ?? 0;
  add("input tokens written to a cache", write - hour, toWrite);
  add("input tokens written to a cache for an hour", hour, price.cache_write_1h ?? toWrite);
  add("input audio tokens", audio, price.input_audio ?? input ?? 0);
  const completion = usage?.completion_tokens ?? 0;
  const spoken = Math.min(usage?.completion_audio_tokens ?? 0, completion);
  add("output tokens", completion - spoken, output ?? 0);
  add("output audio tokens", spoken, price.output_audio ?? output ?? 0);
  return lines;
}

export const totalOf = (lines: readonly CostLine[]): number => lines.reduce((sum, { dollars }) => sum + dollars, 0);
