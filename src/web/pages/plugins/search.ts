import { readText } from "../../parts/list-search.ts";

const PLUGIN_TABS = ["plugins", "providers"] as const;

/** The state of the plugins page in its address. */
export interface PluginsSearch {
  readonly tab?: (typeof PLUGIN_TABS)[number] | undefined;
  readonly q?: string | undefined;
}

export function readPluginsSearch({ tab, q }: Record<string, unknown>): PluginsSearch {
  const text = readText(q);
  return { ...(tab === "providers" ? { tab } : {}), ...(text === undefined ? {} : { q: text }) };
}
