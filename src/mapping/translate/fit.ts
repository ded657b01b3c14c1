import type { Call, Loss, Prompt, Shape } from "../../plugin-host/contract.ts";
import { changedTools } from "./changed-tools.ts";
import { saysSomething } from "./draft.ts";
import { fitMessages } from "./fit-messages.ts";
import { fitSettings } from "./fit-settings.ts";
import { fitTools } from "./fit-tools.ts";
import type { Fitting } from "./fitting.ts";
import type { ToolNames } from "./tool-names.ts";

/** A prompt that a shape can write for one model, and its losses. */
interface Fitted {
  readonly prompt: Prompt;
  readonly losses: readonly Loss[];
  readonly names: ToolNames;
}

/**
 * Fits a prompt to a shape and a model. All differences between shapes are in their tables; shapes are independent of each
 * other.
 *
 * The same prompt always gives the same result, so that providers' caches work.
 */
export function fit(prompt: Prompt, shape: Shape, call: Call): Fitted {
  const losses: Loss[] = [...prompt.losses];
  const takes = shape.takes ?? {};
  const isOwn = prompt.shape === shape.name;
  const fitting: Fitting = { shape, call, losses, take: (name) => takes[name] ?? "=" };
  if (!isOwn)
    for (const name of Object.keys(prompt.extra))
      if (saysSomething(prompt.extra[name]) && prompt.paths.thinking !== name)
        losses.push({ kind: "dropped", path: name });
  const set = fitSettings(isOwn ? prompt : { ...prompt, tools: changedTools(prompt) }, fitting);
  const { prompt: equipped, names } = fitTools(set, fitting);
  return { prompt: withLeadingThoughts(fitMessages(equipped, fitting, names), fitting), losses, names };
}

/**
 * Switches thinking off for a turn in which it would be refused: it has results of calls without reasoning before them,
 * because the client omitted the reasoning or another model made the calls.
 */
function withLeadingThoughts(prompt: Prompt, { shape, losses }: Fitting): Prompt {
  const { thinking } = prompt.settings;
  if (shape.limits?.thoughtsLead !== true || thinking?.budgetTokens === undefined) return prompt;
  const [calls, results] = prompt.messages.slice(-2);
  if (calls?.role !== "assistant" || results?.parts[0]?.type !== "result" || calls.parts[0]?.type === "reasoning")
    return prompt;
  losses.push({
    kind: "approximated",
    path: prompt.paths.thinking ?? "thinking",
    why: "the model cannot think between calls whose turn begins without a thought",
  });
  return { ...prompt, settings: { ...prompt.settings, thinking: { effort: "none" } } };
}
