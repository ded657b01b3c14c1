import type { ListedModel } from "../../name-queries.ts";

/** Chat completions' names for a response's token limit; OpenAI's newer models require the second and refuse the first. */
const NAMES = ["max_tokens", "max_completion_tokens"] as const;

/**
 * The name that a model accepts, from the list of models: for a model string, its first name decides. For a name without a
 * provider, any provider with the model decides.
 */
export function limitName(model: string, listed: readonly ListedModel[]): (typeof NAMES)[number] {
  const first = model
    .split(",")[0]!
    .trim()
    .replace(/:(?:floor|nitro)$/, "");
  const id = first.replace(/^([^/:]+)(?::[^/]*)?\//, (_all, provider: string) => `${provider.toLowerCase()}/`);
  const found = listed.find((each) => each.id === id) ?? listed.find((each) => each.id.endsWith(`/${first}`));
  return NAMES.find((name) => found?.supported_parameters?.includes(name)) ?? "max_tokens";
}
