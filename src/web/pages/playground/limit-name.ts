import type { ListedModel } from "../../known.ts";

/** What chat completions call the limit of a response; OpenAI's newer models want the second name and refuse the first. */
const NAMES = ["max_tokens", "max_completion_tokens"] as const;

/**
 * The name that a model takes, by what is listed of it: the first of a model string counts. Of a bare name, any provider
 * that has the model tells.
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
