import type { Effort, Thinking } from "../../plugin-host/contract.ts";

/** All efforts, lowest first. */
export const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Efforts for which OpenAI's APIs have a name. */
export const OPENAI_EFFORTS: readonly Effort[] = EFFORTS.filter((effort) => effort !== "max");

export const isEffort = (text: string): text is Effort => (EFFORTS as readonly string[]).includes(text);

/** The equivalents of an effort in other APIs: a share of max tokens, Gemini's budget and level, Claude's effort. */
export const EFFORT_TABLE: Readonly<
  Record<Effort, { share: number; geminiBudget: number; geminiLevel: string; claude: Effort }>
> = {
  none: { share: 0, geminiBudget: 0, geminiLevel: "minimal", claude: "none" },
  minimal: { share: 0.1, geminiBudget: 1024, geminiLevel: "minimal", claude: "low" },
  low: { share: 0.2, geminiBudget: 1024, geminiLevel: "low", claude: "low" },
  medium: { share: 0.5, geminiBudget: 8192, geminiLevel: "medium", claude: "medium" },
  high: { share: 0.8, geminiBudget: 24_576, geminiLevel: "high", claude: "high" },
  xhigh: { share: 0.95, geminiBudget: 24_576, geminiLevel: "high", claude: "xhigh" },
  max: { share: 0.95, geminiBudget: 24_576, geminiLevel: "high", claude: "max" },
};

const BUDGET_MIN = 1024;
const BUDGET_MAX = 128_000;

/** Thinking tokens, bounded to stay below `maxTokens`; `undefined` if there is no room. */
export function boundedBudget(tokens: number, maxTokens: number): number | undefined {
  const budget = Math.min(Math.max(Math.round(tokens), BUDGET_MIN), BUDGET_MAX, maxTokens - 1);
  return budget < BUDGET_MIN ? undefined : budget;
}

export const budgetOf = (effort: Effort, maxTokens: number): number | undefined =>
  boundedBudget(EFFORT_TABLE[effort].share * maxTokens, maxTokens);

/** The effort that corresponds to a budget of `maxTokens`. */
function effortOfBudget(budget: number, maxTokens: number): Effort {
  if (budget <= 0) return "none";
  const share = budget / maxTokens;
  if (share < 0.15) return "minimal";
  if (share < 0.35) return "low";
  if (share < 0.65) return "medium";
  return share < 0.9 ? "high" : "xhigh";
}

/** The requested effort, in any notation. Adaptive thinking counts as `high`. */
export function effortOf({ effort, budgetTokens, adaptive }: Thinking, maxTokens: number): Effort | undefined {
  if (effort !== undefined) return effort;
  if (budgetTokens !== undefined) return effortOfBudget(budgetTokens, maxTokens);
  return adaptive === true ? "high" : undefined;
}

/**
 * The effort itself, otherwise the next lower one that the model has, otherwise its lowest; a model that must think has no
 * `none`.
 */
export function nearestEffort(
  wanted: Effort,
  { efforts, mustThink }: { readonly efforts?: readonly Effort[] | undefined; readonly mustThink?: boolean },
): Effort {
  const had = EFFORTS.filter(
    (effort) => (efforts === undefined || efforts.includes(effort)) && !(mustThink && effort === "none"),
  );
  const rank = EFFORTS.indexOf(wanted);
  return had.findLast((effort) => EFFORTS.indexOf(effort) <= rank) ?? had[0] ?? wanted;
}
