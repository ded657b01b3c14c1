import { fits } from "./pattern.ts";
import type { Need, RouteCondition } from "./route.ts";

/** The facts about a request that are known when its targets are chosen. */
export interface Demand {
  readonly key: { readonly id: string; readonly name: string };
  readonly user: string | undefined;
  readonly session: string | undefined;
  /** Names compare with case, as in filters. */
  readonly properties: Readonly<Record<string, string>>;
  readonly needs: readonly Need[];
  /** Estimated tokens of the input. */
  readonly inputTokens: number;
  /** The client's limit of the output. */
  readonly maxTokens: number | undefined;
  readonly stream: boolean;
}

/** Whether all of a target's conditions hold. @returns the failed condition as text; undefined if all hold. */
export function unmet(when: RouteCondition | undefined, demand: Demand): string | undefined {
  if (when === undefined) return undefined;
  const { key, user, properties = {}, needs = [], maxInputTokens, minInputTokens } = when;
  if (key !== undefined && !anyFits(key, demand.key.id) && !anyFits(key, demand.key.name)) return "key";
  if (user !== undefined && !anyFits(user, demand.user)) return "user";
  for (const [name, patterns] of Object.entries(properties)) {
    const value = Object.hasOwn(demand.properties, name) ? demand.properties[name] : undefined;
    if (!anyFits(patterns, value)) return `property:${name}`;
  }
  const missing = needs.find((need) => !demand.needs.includes(need));
  if (missing !== undefined) return `needs ${missing}`;
  if (maxInputTokens !== undefined && demand.inputTokens > maxInputTokens) return "max_input_tokens";
  if (minInputTokens !== undefined && demand.inputTokens < minInputTokens) return "min_input_tokens";
  return undefined;
}

function anyFits(patterns: readonly string[], text: string | undefined): boolean {
  return text !== undefined && patterns.some((pattern) => fits(pattern, text));
}
