import type { Json, Usage } from "../../plugin-host/contract.ts";
import { COST_MAX, dollars } from "../../record/dollars.ts";
import { usageText } from "../../record/kinds.ts";
import { providerOf } from "../../record/provider.ts";
import { statedCost } from "../errors-and-costs.ts";
import { countOf, isObject, parseJson, pickDefined } from "../json.ts";
import { USAGE_COUNTS } from "../usage.ts";
import { foundFor, SET_BY_PLUGIN } from "./cost.ts";
import { type CostLine, costLines, type OwnPriceOf, totalOf } from "./own.ts";
import { FEES, genaiRates } from "./table.ts";
import { withReasoning } from "./table-lines.ts";
import { priceTerms } from "./terms.ts";
import { billsOf } from "./units.ts";

/** The members of a record that determine its cost. */
export interface Priced extends Readonly<Record<keyof Usage, number | null>> {
  readonly provider: string | null;
  readonly model: string | null;
  readonly model_override: string | null;
  readonly response_model: string | null;
  readonly request_model: string | null;
  readonly routed_model: string | null;
  readonly request_created_at: number;
  readonly response_status: number | null;
  readonly target_url: string | null;
  readonly usage_raw: string | null;
  readonly cost: number | null;
  readonly cost_source: string | null;
}

interface Explanation {
  /** US dollars, as recorded. */
  readonly cost: number | null;
  readonly cost_source: string | null;
  /** The lines whose sum is the cost. */
  readonly lines: readonly CostLine[];
  /** The price that was used, in the form of its table. */
  readonly rates?: unknown;
  readonly note: string;
}

/** The token counts of a record as usage. Null means not reported, and so does a value of an older record that is no count. */
export function usageOfRow(row: Priced): Usage | undefined {
  const counts = USAGE_COUNTS.filter((name) => countOf(row[name]) !== undefined).map((name) => [name, row[name]]);
  return counts.length === 0 ? undefined : (Object.fromEntries(counts) as Usage);
}

/** Names for the price look-up, the most specific first. */
export const modelsOfRow = (row: Priced): string[] =>
  [row.model_override, row.response_model, row.routed_model, row.request_model].filter(
    (name) => name !== null && name !== "",
  ) as string[];

/**
 * Whether prices apply: the provider's response was no failure. The record of a response that was cut off has a status of its
 * own, such as 499; recorded usage or a recorded price then shows that the provider had responded.
 */
export const isPriceable = (row: Priced): boolean =>
  (row.response_status ?? 0) < 400 || row.cost_source !== null || usageOfRow(row) !== undefined;

/** The arithmetic behind a recorded cost. Never throws. */
export function explainCost(row: Priced, ownPrice: OwnPriceOf | undefined): Explanation {
  const { cost, cost_source: source } = row;
  const explanation = (note: string, lines: readonly CostLine[] = [], rates?: unknown): Explanation =>
    pickDefined({
      cost: dollars(cost),
      cost_source: source,
      lines: withReasoning(lines, row.reasoning_tokens).map(plain),
      rates,
      note,
    }) as Explanation;
  const raw = row.usage_raw === null ? undefined : parseJson(usageText(row.usage_raw));
  if (source === null) return explanation(whyUnknown(row, raw, ownPrice));
  if (source === SET_BY_PLUGIN) return explanation("a plugin's `onRecord` set this cost");
  if (source === "cache") return explanation("a cached response costs nothing");
  if (source === "stated by the provider")
    return explanation("the provider itself states this cost", [], isObject(raw) ? raw : undefined);
  if (source.startsWith("plugin "))
    return explanation(`the rule of the provider ${source.slice(7)} gives this cost for the usage`);
  if (source.startsWith("own price") || source.startsWith("configured price")) {
    const found = byOwnPrice(row, ownPrice);
    if (found?.source !== source) return explanation("this price is no longer in force");
    return explanation(compared(totalOf(found.lines), cost), found.lines, found.rates);
  }
  const found = byTable(row, raw);
  if (found === undefined) return explanation("the price table of this version no longer has this entry");
  return explanation(compared(totalOf(found.lines), cost), found.lines, found.rates);
}

interface Arithmetic {
  readonly lines: readonly CostLine[];
  readonly rates: unknown;
}

/** The cost by a price of one's own or of the configuration; undefined if there is none for this usage. */
function byOwnPrice(row: Priced, ownPrice: OwnPriceOf | undefined): (Arithmetic & { source: string }) | undefined {
  const found = ownPrice?.(modelsOfRow(row));
  const lines = found && costLines(found.price, usageOfRow(row));
  return found && lines && { lines, rates: found.price, source: found.source };
}

/** The cost by the price table; undefined if it has no price for a part of the usage. */
function byTable(row: Priced, raw: Json): Arithmetic | undefined {
  const [provider, models, at] = [providerOf(row), modelsOfRow(row), new Date(row.request_created_at)];
  const found = billsOf(provider, usageOfRow(row), raw).map((bill) =>
    foundFor(bill, models, (model) => genaiRates(provider, model, bill.units, at)),
  );
  if (found.length === 0 || !found.every((each) => each !== undefined)) return undefined;
  const host = URL.parse(row.target_url ?? "")?.hostname ?? "";
  const { factor } = priceTerms({ provider, host, models }, raw);
  const lines = found.flatMap((each) => each.lines).map((line) => (line.what === FEES ? line : scaled(line, factor)));
  const [only, ...more] = found.map(({ rates }) => rates);
  return { lines, rates: more.length === 0 ? only : [only, ...more] };
}

/** Removes floating-point noise. */
function plain(line: CostLine): CostLine {
  return { ...line, perMillion: dollars(line.perMillion), dollars: dollars(line.dollars) };
}

function scaled(line: CostLine, factor: number): CostLine {
  return { ...line, perMillion: line.perMillion * factor, dollars: line.dollars * factor };
}

function compared(sum: number, cost: number | null): string {
  if (cost !== null && Math.abs(sum - cost) <= Math.max(1e-12, Math.abs(cost) * 1e-9))
    return "the lines add up to the cost";
  return `today's prices give ${dollars(sum)}; \`weir costs recompute\` brings the record up to date`;
}

function whyUnknown(row: Priced, raw: Json, ownPrice: OwnPriceOf | undefined): string {
  if (row.cost !== null) return "the cost was recorded without its source";
  if (!isPriceable(row)) return "a failed request has no usage that could be priced";
  const stated = statedCost(raw);
  if (stated !== undefined && stated > COST_MAX) return tooHigh("the provider states", stated);
  const found = byOwnPrice(row, ownPrice) ?? byTable(row, raw);
  const sum = found && totalOf(found.lines);
  if (sum !== undefined) return sum > COST_MAX ? tooHigh("the usage costs", sum) : compared(sum, null);
  if (usageOfRow(row) === undefined) return "no usage is known, so that nothing can be priced";
  if (modelsOfRow(row).length === 0) return "no model is known";
  return `no price is known for ${providerOf(row)} ${modelsOfRow(row)[0]}; one of your own can be set`;
}

const tooHigh = (what: string, sum: number) =>
  `${what} ${dollars(sum)} US dollars; a cost over ${COST_MAX} is not plausible and counts as unknown`;
