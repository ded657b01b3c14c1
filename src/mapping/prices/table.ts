import { calcPrice, type ModelPrice, type PriceOptions } from "@pydantic/genai-prices";
import { pickDefined } from "../json.ts";
import { CORRECTIONS_DATE, correctionsOf } from "./corrections.ts";
import { type CostLine, MODEL_LENGTH_MAX, totalOf } from "./own.ts";
import { isPlain, plainPrice, priceOf, RememberedPrices } from "./remembered.ts";
import { tableLines } from "./table-lines.ts";
import type { Units } from "./units.ts";

export interface Price {
  readonly dollars: number;
  /** The part of the cost for searches and requests, not for tokens. */
  readonly fees: number;
  /** The table with its date, and the entry used. */
  readonly entry: string;
}

/** Looks up a price; `undefined` if the table has none for this provider and model. Never throws. */
export type PriceTable = (provider: string, model: string, units: Units, at: Date) => Price | undefined;

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
  if (!hasPrices(provider) || model.length > MODEL_LENGTH_MAX) return undefined;
  const known = remembered.get(provider, model, at);
  if (known === null && units.input_tokens !== undefined) return undefined;
  if (known?.pricesTokens && isPlain(units, known.prices))
    return { dollars: plainPrice(known.prices, units), fees: 0, entry: known.entry };
  for (const spelling of spellings(model)) {
    const found = lookUp(spelling, provider, units, at);
    if (found === undefined) continue;
    const { entry, prices, input, output, total } = found;
    const kept = { entry, prices, pricesTokens: isPriced({}, prices) };
    if (!isNoted(units)) remembered.keep({ provider, model, at }, kept, found.model);
    return { dollars: total, fees: total - input - output, entry };
  }
  if (units.input_tokens !== undefined) remembered.keep({ provider, model, at }, null);
  return undefined;
};

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
  if (!hasPrices(provider) || model.length > MODEL_LENGTH_MAX) return undefined;
  for (const spelling of spellings(model)) {
    const found = lookUp(spelling, provider, units, at);
    if (found === undefined) continue;
    return { lines: linesOf(found, units), rates: found.prices, table: found.table };
  }
  return undefined;
}

/** One line per kind of token; only input and output totals if the table's parts do not add up to its sums. */
function linesOf({ prices, model, input, output, total }: Found, units: Units): readonly CostLine[] {
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

type Found = NonNullable<ReturnType<typeof lookUp>>;

function lookUp(model: string, provider: string, units: Units, at: Date) {
  const corrections = correctionsOf(provider, at);
  const corrected = corrections && looked(units, model, { provider: corrections, timestamp: at });
  const found = corrected ?? looked(units, model, { providerId: TABLE_NAMES[provider]!, timestamp: at });
  if (found === undefined || !Number.isFinite(found.total_price) || !isPriced(units, found.model_price))
    return undefined;
  const table = corrected === undefined ? TABLE : `Weir (${CORRECTIONS_DATE})`;
  const hours = hourWrites(units, found.model.id, found.model_price);
  return {
    prices: found.model_price,
    model: found.model,
    input: found.input_price + hours,
    output: found.output_price,
    total: found.total_price + hours,
    table,
    entry: `${table}: ${found.provider.id}/${found.model.id}${unpriced(units, found.model_price)}`,
  };
}

/**
 * Whether a model is charged by units that are counted; for a model charged by the hour or page the table would return 0. A
 * free model has no prices.
 */
function isPriced({ rerank_searches: ranks, audio_seconds: seconds }: Units, prices: ModelPrice): boolean {
  const names = Object.keys(prices);
  const unit = ranks !== undefined ? "rerank_searches_kcount" : seconds !== undefined ? "audio_hours" : "_mtok";
  return names.length === 0 || names.some((name) => name.endsWith(unit));
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

/** Whether there are searches, whose price depends on these units: it cannot be cached. */
const isNoted = ({ web_searches: web, storage_searches: files }: Units) => web !== undefined || files !== undefined;

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
