import { readFilter } from "../../filter/address.ts";
import { readText } from "../../parts/list-search.ts";
import { readTimeSearch, type TimeSearch } from "../../parts/time-range.ts";

/** The state of the list of prompts in its address. */
export interface PromptsSearch extends TimeSearch {
  /** The API's filter tree; missing means all. */
  readonly filter?: unknown;
}

/** The state of a prompt in its address. */
export interface PromptSearch extends PromptsSearch {
  /** The compared versions; by default the two most used. */
  readonly left?: string | undefined;
  readonly right?: string | undefined;
}

export function readPromptsSearch(search: Record<string, unknown>): PromptsSearch {
  return { ...readTimeSearch(search), ...readFilter(search["filter"]) };
}

export function readPromptSearch(search: Record<string, unknown>): PromptSearch {
  const [left, right] = [readVersion(search["left"]), readVersion(search["right"])];
  return {
    ...readPromptsSearch(search),
    ...(left !== undefined && { left }),
    ...(right !== undefined && { right }),
  };
}

/** The router parses a version such as 2 as a number. */
const readVersion = (value: unknown) => readText(typeof value === "number" ? String(value) : value);
