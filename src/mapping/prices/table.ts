import { calcPrice, type ModelPrice, type PriceOptions } from "@pydantic/genai-prices";
import { pickDefined } from "../json.ts";
import { CORRECTIONS_DATE, correctionsOf } from "./corrections.ts";
import { type CostLine, MODEL_LENGTH_MAX, totalOf } from "./own.ts";
import {
  isPlain,
  type ModelPriceEntry,
  type PricedModel,
  plainPrice,
  priceOf,
  RememberedPrices,
  type UnitKind,
} from "./remembered.ts";
import { tableLines } from "./table-lines.ts";
import type { Units } from "./units.ts";

interface Price {
  readonly dollars: number;
  /** The part of the cost for searches and requests, not for tokens. */
  readonly fees: number;
  /** The table with its date, and the entry used. */
  readonly entry: string;
}

/** Looks up a price; `undefined` if the table has none for this provider and model. Never throws. */
type PriceTable = (provider: string, model: string, units: Units, at: Date) => Price | undefined;

/** Version and publication day of the installed table; a test compares them with the package. */
export const TABLE_VERSION = "0.1.8";
const TABLE_DATE = "2026-09-23";
const TABLE = `genai-prices ${TABLE_VERSION} (${TABLE_DATE})`;

/** Weir's provider names with the table's names. Other providers are not in the table. */
export const TABLE_NAMES: Readonly<Record<string, string>> = {
  ANTHROPIC: "anthropic",
  AVIAN: "avian",
  AWS: "aws",
  AZURE: "azure",
  BASETEN: "baseten",
  CEREBRAS: "cerebras",
  CLOUDFLARE: "cloudflare",
  COHERE: "cohere",
  DEEPSEEK: "deepseek",
  FIREWORKS: "fireworks",
  GOOGLE: "google",
  GROQ: "groq",
  MINIMAX: "minimax",
  MISTRAL: "mistral",
  MOONSHOT: "moonshotai",
  NOVITA: "novita",
  OPENAI: "openai",
  OPENROUTER: "openrouter",
  OVHCLOUD: "ovhcloud",
  PERPLEXITY: "perplexity",
  TOGETHER: "together",
  VOYAGE: "voyageai",
  X: "x-ai",
  ZAI: "zai",
};

/** Whether the table has prices for the provider; for the documentation. */
export const hasPrices = (provider: string): boolean => Object.hasOwn(TABLE_NAMES, provider);

const remembered = new RememberedPrices();

/** The prices built into the program: `@pydantic/genai-prices`, preceded by Weir's corrections. */
export const genaiPrices: PriceTable = (provider, model, units, at) => {
  const price = priceOfModel({ provider, model, kind: kindOf(units), at });
  if (price === undefined) return undefined;
  if (isPlain(units, price.prices)) return { dollars: plainPrice(price.prices, units), fees: 0, entry: price.entry };
  const found = priced(price, units, at);
  if (found === undefined) return undefined;
  const { input, output, total, entry } = found;
  return { dollars: total, fees: total - input - output, entry };
};

/**
 * The price of a model, whatever was used of it: what one response reports never decides the price for the next one.
 * Undefined if the table has none for units of this kind.
 */
function priceOfModel(wanted: PricedModel): ModelPriceEntry | undefined {
  const { provider, model } = wanted;
  if (!hasPrices(provider) || model.length > MODEL_LENGTH_MAX) return undefined;
  const known = remembered.get(wanted);
  if (known !== undefined) return known ?? undefined;
  const found = lookUp(wanted);
  remembered.keep(wanted, found ?? null);
  return found;
}

/** Variants of a model's name, because deployments and routers spell it in their own ways. */
function spellings(model: string): readonly string[] {
  const plain = model.replace(/^models\//, "");
  const last = plain.slice(plain.lastIndexOf("/") + 1);
  return [...new Set([model, plain, last, last.toLowerCase(), last.replaceAll("_", "-")])];
}

/** The name of a cost line that is not for tokens. */
export const FEES = "searches and requests";

/** One line per kind of token, with the table's rates for the entry used; `undefined` if there is none. */
export function genaiRates(
  provider: string,
  model: string,
  units: Units,
  at: Date,
): { readonly lines: readonly CostLine[]; readonly rates: unknown; readonly table: string } | undefined {
  const price = priceOfModel({ provider, model, kind: kindOf(units), at });
  const found = price && priced(price, units, at);
  if (price === undefined || found === undefined) return undefined;
  return { lines: linesOf(price, found, units), rates: price.prices, table: price.table };
}

/** One line per kind of token; only input and output totals if the table's parts do not add up to its sums. */
function linesOf(
  { prices, model }: ModelPriceEntry,
  { input, output, total }: PricedUsage,
  units: Units,
): readonly CostLine[] {
  const line = (what: string, count: number, dollars: number): CostLine => ({
    what,
    count,
    perMillion: count === 0 ? 0 : (dollars / count) * 1e6,
    dollars,
  });
  const hourFactor = model.id.includes("claude") ? 1 + HOUR_WRITE_MORE : 1;
  const isAll = (lines: readonly CostLine[]) =>
    Math.abs(totalOf(lines) - (input + output)) <= (input + output) * LINES_APART_MAX;
  const kinds = [units, withoutParts(units)].map((each) => tableLines(prices, each, hourFactor)).find(isAll);
  const { input_tokens: inputCount = units.audio_seconds ?? 0, output_tokens: outputCount = 0 } = units;
  const whole = [line("input, all parts", inputCount, input), line("output, all parts", outputCount, output)];
  const others = [...(kinds === undefined ? whole : []), line(FEES, searchesIn(units) || 1, total - input - output)];
  return [...(kinds ?? []), ...others.filter(({ dollars }) => Math.abs(dollars) > total * LINES_APART_MAX)].map(
    (each) => ({ ...each, perMillion: Number(each.perMillion.toPrecision(12)) }), // as published
  );
}

/** Maximum relative difference between lines and sum: floating-point noise. */
const LINES_APART_MAX = 1e-9;

/** The first spelling of the model that the table prices by units of this kind. */
function lookUp({ provider, model, kind, at }: PricedModel): ModelPriceEntry | undefined {
  const corrections = correctionsOf(provider, at);
  for (const spelling of spellings(model)) {
    const corrected = corrections && calculated({}, spelling, { provider: corrections, timestamp: at });
    const found = corrected ?? calculated({}, spelling, { providerId: TABLE_NAMES[provider]!, timestamp: at });
    if (found === undefined || !isPriced(kind, found.model_price)) continue;
    const table = corrected === undefined ? TABLE : `Weir (${CORRECTIONS_DATE})`;
    return {
      provider,
      spelling,
      corrected: corrected !== undefined,
      prices: found.model_price,
      model: found.model,
      table,
      entry: `${table}: ${found.provider.id}/${found.model.id}`,
    };
  }
  return undefined;
}

/** US dollars of input, of output, and in total. */
interface PricedUsage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly entry: string;
}

/** The cost of these units at a price; undefined if they cannot be added up. */
function priced(price: ModelPriceEntry, units: Units, at: Date): PricedUsage | undefined {
  const { provider, spelling, corrected, prices, model } = price;
  const corrections = corrected ? correctionsOf(provider, at) : undefined;
  const found = looked(units, spelling, {
    ...(corrections === undefined ? { providerId: TABLE_NAMES[provider]! } : { provider: corrections }),
    timestamp: at,
  });
  if (found === undefined) return undefined;
  const hours = hourWrites(units, model.id, prices);
  return {
    input: found.input_price + hours,
    output: found.output_price,
    total: found.total_price + hours,
    entry: price.entry + unpriced(units, prices),
  };
}

const kindOf = ({ rerank_searches: ranks, audio_seconds: seconds }: Units): UnitKind =>
  ranks !== undefined ? "rerank_searches_kcount" : seconds !== undefined ? "audio_hours" : "_mtok";

/**
 * Whether a model is charged by units that are counted; for a model charged by the hour or page the table would return 0. A
 * free model has no prices.
 */
function isPriced(kind: UnitKind, prices: ModelPrice): boolean {
  const names = Object.keys(prices);
  return names.length === 0 || names.some((name) => name.endsWith(kind));
}

/** Claude's one-hour cache writes cost 2 times the input price, five-minute writes 1.25 times, on every platform. */
const HOUR_WRITE_MORE = 2 / 1.25 - 1;

/** The extra cost of one-hour writes if the table has only five-minute writes. */
function hourWrites(units: Units, model: string, prices: ModelPrice): number {
  const { cache_write_mtok: write, cache_write_1h_mtok: hour } = prices;
  const { cache_write_1h_tokens: count, input_tokens: input = 0 } = units;
  if (count === undefined || write === undefined || hour !== undefined || !model.includes("claude")) return 0;
  return priceOf(write, count, input) * HOUR_WRITE_MORE;
}

const searchesIn = ({ web_searches: web = 0, storage_searches: files = 0, rerank_searches: ranks = 0 }: Units) =>
  web + files + ranks;

/** Searches without a price do not make the token cost unknown, but the cost is then incomplete. */
function unpriced(units: Units, { web_searches_kcount: web, storage_searches_kcount: files }: ModelPrice): string {
  const isMissing = (units.web_searches && web === undefined) || (units.storage_searches && files === undefined);
  return isMissing ? ", searches not included" : "";
}

/** The table throws on inconsistent counts; the totals are then priced without their parts. */
function looked(units: Units, model: string, options: PriceOptions) {
  return calculated(units, model, options) ?? calculated(withoutParts(units), model, options);
}

function calculated(units: Units, model: string, options: PriceOptions) {
  try {
    return calcPrice({ ...units }, model, options) ?? undefined;
  } catch {
    return undefined;
  }
}

function withoutParts({ input_tokens, output_tokens, audio_seconds }: Units): Units {
  return pickDefined({ input_tokens, output_tokens, audio_seconds });
}
