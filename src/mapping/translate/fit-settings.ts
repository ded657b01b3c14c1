import type { Json, Loss, Prompt, SettingName, Settings, Thinking } from "../../plugin-host/contract.ts";
import { saysSomething } from "./draft.ts";
import { boundedBudget, budgetOf, EFFORT_TABLE, effortOf, nearestEffort } from "./effort.ts";
import { type Fitting, isForced, isUnchosen, switchesOff, thinksUnforced } from "./fitting.ts";

type Draft = { -readonly [K in SettingName]?: Settings[K] };

/** Default max tokens for an API that requires a number. */
const MAX_TOKENS_UNKNOWN = 8192;

const LOSSES: Readonly<Partial<Record<string, Loss["kind"]>>> = { D: "dropped", A: "approximated", R: "refused" };

/** The APIs' defaults: dropping a member with this value loses nothing. */
const SAYS_NOTHING: Readonly<Partial<Record<SettingName, Json>>> = {
  n: 1,
  logprobs: false,
  topLogprobs: 0,
  presencePenalty: 0,
  frequencyPenalty: 0,
  background: false,
  store: false,
  parallelCalls: true,
  serviceTier: "auto",
  truncation: "disabled",
  verbosity: "medium",
};

const isLoss = (settings: Draft, name: SettingName) =>
  saysSomething(settings[name]) && settings[name] !== SAYS_NOTHING[name];

/** Settings in the form of the shape and the model. */
export function fitSettings(prompt: Prompt, fitting: Fitting): Prompt {
  const settings: Draft = { ...prompt.settings };
  const lose = (kind: Loss["kind"], name: SettingName, why?: string) => {
    const path = prompt.paths[name];
    if (path !== undefined) fitting.losses.push(why === undefined ? { kind, path } : { kind, path, why });
  };
  modalities(settings, lose, fitting);
  // A shape can write everything that it reads.
  const foreign = prompt.shape === fitting.shape.name ? [] : (Object.keys(settings) as SettingName[]);
  for (const name of foreign) {
    // Only the API that created these turns can look them up; the gateway inserts them if it has them.
    const take = name === "previousResponse" ? "R" : fitting.take(name);
    if (take === "=") continue;
    const kind = LOSSES[take];
    if (kind !== undefined && isLoss(settings, name))
      lose(kind, name, kind === "refused" ? "the target's API cannot express it" : undefined);
    delete settings[name];
  }
  described(prompt, settings, fitting);
  maxTokens(settings, lose, fitting);
  thinking(prompt, settings, lose, fitting);
  sampling(settings, lose, fitting);
  rejected(settings, lose, fitting);
  return { ...prompt, settings: settings as Settings };
}

type Lose = (kind: Loss["kind"], name: SettingName, why?: string) => void;

/** Text output needs no setting; not every target supports sound or pictures. */
function modalities(settings: Draft, lose: Lose, { take }: Fitting): void {
  const modalities = settings.modalities;
  if (modalities === undefined) return;
  if (modalities.every((modality) => modality === "text")) delete settings.modalities;
  else if (!modalities.includes("audio") && take("imageOut") === "D") {
    lose("dropped", "modalities");
    delete settings.modalities;
  }
}

/** Some APIs have no place for a schema's description. If the schema becomes a tool, the tool has it. */
function described({ shape: from, paths }: Prompt, { format }: Draft, { shape, take, losses, call }: Fitting): void {
  if (format?.type !== "schema" || format.description === undefined || take("formatDescription") === "=") return;
  if (shape.limits?.schemaTool === true && call.facts.jsonSchema !== true) return;
  const inside = from === "chat-completions" ? ".json_schema" : "";
  losses.push({ kind: "dropped", path: `${paths.format ?? "response_format"}${inside}.description` });
}

function maxTokens(settings: Draft, lose: Lose, { shape, call: { facts } }: Fitting): void {
  const most = facts.maxOutput;
  const least = shape.limits?.maxTokensLeast ?? 0;
  if (settings.maxTokens === undefined) {
    if (shape.limits?.maxTokensRequired === true) settings.maxTokens = most ?? MAX_TOKENS_UNKNOWN;
  } else if (settings.maxTokens < least) {
    lose("approximated", "maxTokens", `at least ${least}`);
    settings.maxTokens = least;
  } else if (most !== undefined && settings.maxTokens > most) {
    lose("approximated", "maxTokens", `the model writes at most ${most} tokens`);
    settings.maxTokens = most;
  }
}

/** Sets the reasoning effort in the model's own form. */
function thinking(prompt: Prompt, settings: Draft, lose: Lose, fitting: Fitting): void {
  const { shape, call } = fitting;
  const { facts } = call;
  const forced = isForced(prompt) && !isUnchosen(fitting);
  const wish = settings.thinking;
  if (wish === undefined) {
    if (forced && switchesOff(fitting)) settings.thinking = { effort: "none" };
    return;
  }
  delete settings.thinking;
  const most = settings.maxTokens ?? facts.maxOutput ?? MAX_TOKENS_UNKNOWN;
  const wanted = effortOf(wish, most);
  const summary = wish.summary === undefined ? {} : { summary: wish.summary };
  const way = facts.reasoning ?? shape.limits?.reasoning ?? "effort";
  if (way === "none") {
    if (wanted !== "none" && wanted !== undefined) lose("dropped", "thinking", "the model does not think");
    return;
  }
  if (wanted === undefined) {
    if (forced && switchesOff(fitting)) settings.thinking = { effort: "none" };
    else if (way !== "budget") settings.thinking = summary;
    return;
  }
  const effort = nearestEffort(wanted, { efforts: shape.limits?.efforts, ...facts });
  if (effort !== wanted) lose("approximated", "thinking", `the model has no effort ${wanted}`);
  if (forced && effort !== "none" && thinksUnforced(fitting)) {
    lose("approximated", "thinking", "the model cannot think if a tool is forced");
    if (facts.mustThink !== true) settings.thinking = { effort: "none" };
    return;
  }
  const fixed = way === "budget" && wish.budgetTokens === undefined ? shape.limits?.budgets?.[effort] : undefined;
  const said = fixed === undefined ? saidAs(way, effort, wish, most) : { budgetTokens: fixed };
  if (said === undefined) lose("approximated", "thinking", "the token limit leaves no room for it");
  else settings.thinking = { ...said, ...summary };
}

function saidAs(
  way: "effort" | "budget" | "adaptive" | "level",
  effort: NonNullable<Thinking["effort"]>,
  wish: Thinking,
  maxTokens: number,
): Thinking | undefined {
  if (way === "effort" || way === "level" || effort === "none") return { effort };
  if (way === "adaptive") {
    const claude = EFFORT_TABLE[effort].claude;
    return wish.adaptive === true && wish.effort === undefined
      ? { adaptive: true }
      : { adaptive: true, effort: claude };
  }
  const budgetTokens =
    wish.budgetTokens === undefined ? budgetOf(effort, maxTokens) : boundedBudget(wish.budgetTokens, maxTokens);
  return budgetTokens === undefined ? undefined : { budgetTokens };
}

function sampling(settings: Draft, lose: Lose, { shape: { limits }, call: { facts } }: Fitting): void {
  if (facts.temperatureOrTopP === true && settings.temperature !== undefined && settings.topP !== undefined) {
    // A missing temperature or top_p means 1.
    const name = settings.temperature === 1 && settings.topP !== 1 ? "temperature" : "topP";
    if (settings[name] !== 1) lose("dropped", name, "the model takes temperature or top_p, not both");
    delete settings[name];
  }
  const { temperature, thinking } = settings;
  if (limits?.temperatureMax !== undefined && temperature !== undefined && temperature > limits.temperatureMax) {
    lose("approximated", "temperature", `at most ${limits.temperatureMax}`);
    settings.temperature = limits.temperatureMax;
  }
  if (limits?.noBlankStop === true && settings.stop?.some((text) => text.trim() === "") === true) {
    lose("approximated", "stop", "no text of white space alone");
    settings.stop = settings.stop.filter((text) => text.trim() !== "");
  }
  const { stop } = settings;
  if (limits?.stopTexts !== undefined && stop !== undefined && stop.length > limits.stopTexts) {
    lose("approximated", "stop", `at most ${limits.stopTexts} texts`);
    settings.stop = stop.slice(0, limits.stopTexts);
  }
  if (thinking === undefined || thinking.effort === "none") return;
  for (const name of limits?.notWhileThinking ?? []) {
    if (settings[name] === undefined) continue;
    lose("dropped", name, "not together with thinking");
    delete settings[name];
  }
}

/** Providers' names of settings that differ from ours in snake case. */
const ALIASES: Readonly<Record<string, SettingName>> = {
  max_completion_tokens: "maxTokens",
  max_output_tokens: "maxTokens",
  stop_sequences: "stop",
  stopSequences: "stop",
  reasoning_effort: "thinking",
  reasoning: "thinking",
  response_format: "format",
  parallel_tool_calls: "parallelCalls",
  prompt_cache_key: "cacheKey",
  maxOutputTokens: "maxTokens",
  num_predict: "maxTokens",
  candidateCount: "n",
  responseLogprobs: "logprobs",
  responseModalities: "modalities",
  thinkingConfig: "thinking",
};

/** The settings for providers' names. Cached: the same few names repeat, and all come from facts or providers. */
const settingNames = new Map<string, SettingName>(Object.entries(ALIASES));
const NAMES_MAX = 1_000;

function settingNamed(member: string): SettingName {
  const known = settingNames.get(member);
  if (known !== undefined) return known;
  const name = member.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as SettingName;
  if (settingNames.size < NAMES_MAX) settingNames.set(member, name);
  return name;
}

/** Settings that the model refuses according to its facts, or that a provider has refused before. */
function rejected(settings: Draft, lose: Lose, { call: { facts } }: Fitting): void {
  const thinks = settings.thinking !== undefined && settings.thinking.effort !== "none";
  const leaveOut = (member: string) => {
    const name = settingNamed(member);
    if (!Object.hasOwn(settings, name)) return;
    if (isLoss(settings, name)) lose("dropped", name, "the model does not support it");
    delete settings[name];
  };
  facts.rejects?.forEach(leaveOut);
  if (thinks) facts.rejectsThinking?.forEach(leaveOut);
}
