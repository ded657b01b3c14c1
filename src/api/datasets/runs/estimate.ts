import { recordedCalls } from "../../../engine/recorded-calls.ts";
import { GatewayError } from "../../../errors.ts";
import { costLines, type OwnPriceOf, totalOf } from "../../../mapping/prices/own.ts";
import { genaiRates } from "../../../mapping/prices/table.ts";
import type { Json } from "../../../plugin-host/contract.ts";
import { pricedByRule } from "../../../plugin-host/view.ts";
import { dollars } from "../../../record/dollars.ts";
import { type Item, itemPages } from "../../../store/datasets/items.ts";
import type { Target } from "../../../store/datasets/runs.ts";
import { LearntTables } from "../../../store/models/learnt.ts";
import type { Caller } from "../../access/caller.ts";
import type { ApiContext } from "../../context.ts";

const PAGE = 200;
/** Characters per token, a guess for items without a count. */
const TOKEN_CHARS = 4;

/** What a run would send to one target. */
export interface TargetEstimate {
  readonly name: string;
  /** The provider that would be called first; null if the request would be refused. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number | null;
  /** US dollars; null if the price or the tokens are unknown. */
  readonly cost: number | null;
  readonly price_source: string | null;
  /** What the estimate leaves out or guesses, one sentence each. */
  readonly notes: readonly string[];
}

interface Selection {
  readonly datasetId: string;
  readonly version: number;
  readonly label: string | null;
  readonly targets: readonly Target[];
}

/** Tokens of an item: from its request's record, or a guess. */
interface ItemTokens {
  readonly prompt: number;
  readonly isGuessed: boolean;
  readonly completion: number | null;
  readonly systemChars: number;
}

/** The probable cost of a run, from the usage of the items' original requests and the current prices. Nothing is called. */
export async function estimateRun(
  context: ApiContext,
  caller: Caller,
  selection: Selection,
): Promise<TargetEstimate[]> {
  const { records } = context.current;
  const learnt = new LearntTables(context.config.prices, context.home.reader.records);
  await learnt.load(context.reader.records);
  const providers = await context.gateway.providers();
  const ruled = pricedByRule(providers);
  const tokens: ItemTokens[] = [];
  let first: Item | undefined;
  for await (const items of itemPages(records, selection.datasetId, { ...selection, limit: PAGE })) {
    first ??= items[0];
    const ids = items.flatMap(({ request_id }) => request_id ?? []);
    const recorded = await recordedCalls(context.engine.source, caller.organizationId, ids);
    for (const item of items) tokens.push(tokensOf(item, recorded.get(item.request_id ?? "")));
  }
  return Promise.all(
    selection.targets.map(async (target) => {
      const chosen = await firstTarget(context, caller, target, first);
      if ("refused" in chosen) return { ...nothing(target, tokens.length), notes: [chosen.refused] };
      const own = learnt.priceOf(caller.organizationId, chosen.provider);
      return estimateTarget({ target, tokens, ...chosen, own, isRuled: ruled.has(chosen.provider) });
    }),
  );
}

const nothing = ({ name }: Target, calls: number) => ({
  ...{ name, provider: null, model: null, calls, prompt_tokens: 0, completion_tokens: null },
  ...{ cost: null, price_source: null },
});

/** The provider that would be called for the first item. */
async function firstTarget(
  context: ApiContext,
  { key }: Caller,
  { model, parameters }: Target,
  item: Item | undefined,
) {
  const body = item && JSON.stringify({ ...parameters, model, messages: item.input.messages });
  try {
    const { targets } = await context.gateway.explainRoute({
      ...{ key, model, shape: "chat-completions", body, user: undefined, session: undefined, properties: {} },
    });
    const chosen = targets.find(({ skipped }) => skipped === null);
    if (chosen === undefined) return { refused: targets[0]?.skipped ?? "there is no usable target" };
    return { provider: chosen.provider, model: chosen.model };
  } catch (error) {
    if (error instanceof GatewayError) return { refused: error.message };
    // Errors from another thread arrive as plain errors.
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

interface Estimating {
  readonly target: Target;
  readonly tokens: readonly ItemTokens[];
  readonly provider: string;
  readonly model: string;
  readonly own: OwnPriceOf;
  readonly isRuled: boolean;
}

function estimateTarget(estimating: Estimating): TargetEstimate {
  const { target, tokens, provider, model } = estimating;
  const cap = capOf(target);
  const known = tokens.flatMap(({ completion }) => completion ?? []);
  const mean = known.length === 0 ? null : Math.ceil(known.reduce((sum, each) => sum + each, 0) / known.length);
  const used = tokens.map(({ prompt, completion, systemChars }) => {
    const more = target.system === null ? 0 : Math.round((target.system.length - systemChars) / TOKEN_CHARS);
    const likely = completion ?? mean ?? cap;
    return {
      prompt: Math.max(1, prompt + more),
      completion: likely !== null && cap !== null ? Math.min(likely, cap) : likely,
    };
  });
  const price = priceOf(estimating);
  const source = price.source();
  return {
    ...{ name: target.name, provider, model, calls: tokens.length },
    prompt_tokens: total(used.map(({ prompt }) => prompt)) ?? 0,
    completion_tokens: total(used.map(({ completion }) => completion)),
    cost: dollars(
      total(used.map(({ prompt, completion }) => (completion === null ? null : price.of(prompt, completion)))),
    ),
    price_source: source,
    notes: notesOf(estimating, { open: tokens.length - known.length, mean, cap, isPriced: source !== null }),
  };
}

/** The target's own limit of output tokens. */
function capOf({ parameters }: Target): number | null {
  const cap: Json = parameters.max_completion_tokens ?? parameters.max_tokens;
  return typeof cap === "number" ? cap : null;
}

/** Null if there are no values, or not all are known. */
const total = (values: readonly (number | null)[]): number | null =>
  values.length > 0 && values.every((each) => each !== null) ? values.reduce((sum, each) => sum + each, 0) : null;

interface Guesses {
  /** Items without a recorded output, which counts as the mean of the others, else as the cap. */
  readonly open: number;
  readonly mean: number | null;
  readonly cap: number | null;
  readonly isPriced: boolean;
}

function notesOf(
  { target, tokens, provider, isRuled }: Estimating,
  { open, mean, cap, isPriced }: Guesses,
): readonly string[] {
  const notes: string[] = [];
  const guessed = tokens.filter(({ isGuessed }) => isGuessed).length;
  if (guessed > 0)
    notes.push(`${guessed} of ${tokens.length} items have no recorded tokens: four characters count as one`);
  if (open > 0 && mean !== null)
    notes.push(`${open} items have no recorded output: it counts as the mean of the others`);
  else if (open > 0 && cap !== null) notes.push("no output is recorded: each counts as the limit");
  else if (open > 0) notes.push("how long the outputs are is not known");
  if (!isPriced) notes.push(isRuled ? `the rule of the provider ${provider} prices it` : "the price is not known");
  if (target.system !== null) notes.push("tokens of the other system prompt are estimated from its characters");
  return notes;
}

function priceOf({ provider, model, own, isRuled }: Pick<Estimating, "provider" | "model" | "own" | "isRuled">) {
  const at = new Date();
  const found = own([model]);
  const rated = (input: number, output: number) =>
    isRuled ? undefined : genaiRates(provider, model, { input_tokens: input, output_tokens: output }, at);
  return {
    source: (): string | null => found?.source ?? rated(1_000, 1_000)?.table ?? null,
    of(prompt: number, completion: number): number | null {
      const usage = { prompt_tokens: prompt, completion_tokens: completion };
      const lines = found === undefined ? rated(prompt, completion)?.lines : costLines(found.price, usage);
      return lines === undefined ? null : totalOf(lines);
    },
  };
}

function tokensOf(
  { input, output }: Item,
  recorded: { readonly prompt_tokens: number | null; readonly completion_tokens: number | null } | undefined,
): ItemTokens {
  const messages: readonly Json[] = input.messages;
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const chars = JSON.stringify(input).length;
  const prompt = recorded?.prompt_tokens ?? Math.ceil(chars / TOKEN_CHARS);
  const said =
    output === null ? null : Math.ceil(JSON.stringify(output.content ?? output.tool_calls ?? "").length / TOKEN_CHARS);
  return {
    prompt,
    isGuessed: recorded?.prompt_tokens == null,
    completion: recorded?.completion_tokens ?? said,
    systemChars: system.reduce((sum, { content }) => sum + (typeof content === "string" ? content.length : 0), 0),
  };
}
