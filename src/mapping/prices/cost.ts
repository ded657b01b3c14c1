import type { ExchangeView, Json, ProviderPlugin, Usage } from "../../plugin-host/contract.ts";
import { dollars, isCost } from "../../record/dollars.ts";
import { costLines, type OwnPriceOf, totalOf } from "./own.ts";
import { genaiPrices } from "./table.ts";
import { priceTerms } from "./terms.ts";
import { type Bill, billsOf } from "./units.ts";

export interface CostInput {
  readonly provider: ProviderPlugin | undefined;
  /** Names for the price look-up, the most specific first: override, response, request. */
  readonly models: readonly (string | null | undefined)[];
  readonly usage: Usage | undefined;
  /**
   * The usage block as sent. Besides the tier it counts searches, seconds and billed units, which are charged but are not
   * tokens.
   */
  readonly usageRaw?: Json;
  /** The cost stated by the provider. */
  readonly statedCost: number | undefined;
  readonly exchange: ExchangeView;
  /** The operator's prices. */
  readonly ownPrice?: OwnPriceOf | undefined;
  /** Time of the request: prices change, and some depend on the hour. */
  readonly at: Date;
  /** Called with the error of the provider's own rule; its price then counts as unknown. */
  readonly onFault?: (error: unknown) => void;
}

/** US dollars and their source; both null if the cost is unknown. */
export interface Cost {
  readonly cost: number | null;
  readonly source: string | null;
}

/** A cache hit costs nothing. */
export const FREE: Cost = { cost: 0, source: "cache" };

/** Source of a cost that a plugin's `onRecord` set. It is not computed, so that no later price changes it. */
export const SET_BY_PLUGIN = "set by a plugin";

const UNKNOWN: Cost = { cost: null, source: null };

/**
 * The cost of an exchange, from the first source that has it: the operator's prices, the provider plugin's own rule, the
 * provider's response, the price table. Without any it is unknown, which is never 0, and so is one that cannot be true.
 * Never throws.
 */
export function costOf(input: CostInput): Cost {
  const { cost, source } = exactCost(input);
  return isCost(cost) ? { cost: dollars(cost), source } : UNKNOWN;
}

function exactCost(input: CostInput): Cost {
  const { provider, statedCost, usage } = input;
  const models: string[] = [];
  for (const name of input.models) if (typeof name === "string" && name !== "") models.push(name);
  const own = input.ownPrice?.(models);
  const lines = own && costLines(own.price, usage);
  if (own !== undefined && lines !== undefined) return { cost: totalOf(lines), source: own.source };
  const ruled = usage === undefined ? null : byRule(input, usage, models[0] ?? "");
  if (ruled !== null) return { cost: ruled, source: `plugin ${provider?.name}` };
  if (isCost(statedCost)) return { cost: statedCost, source: "stated by the provider" };
  if (provider === undefined) return UNKNOWN;
  const bills = billsOf(provider.name, usage, input.usageRaw);
  if (bills.length === 0) return UNKNOWN;
  const { factor, note } = priceTerms({ provider: provider.name, host: input.exchange.host, models }, input.usageRaw);
  let cost = 0;
  let source = "";
  for (const bill of bills) {
    const price = foundFor(bill, models, (name) => genaiPrices(provider.name, name, bill.units, input.at));
    if (price === undefined) return UNKNOWN;
    cost = cost + price.dollars + (factor - 1) * (price.dollars - price.fees);
    source += source === "" ? price.entry : ` and ${price.entry}`;
  }
  return { cost, source: source + note };
}

/** The first price found for one of the model's names. */
export function foundFor<T>(
  { model }: Bill,
  models: readonly string[],
  find: (name: string) => T | undefined,
): T | undefined {
  for (const name of model === undefined ? models : [model]) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A provider's rule may be foreign code; a result that is not an amount counts as unknown. */
function byRule({ provider, exchange, onFault }: CostInput, usage: Usage, model: string): number | null {
  try {
    const cost = provider?.cost?.(usage, model, exchange);
    return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : null;
  } catch (error) {
    onFault?.(error);
    return null;
  }
}
