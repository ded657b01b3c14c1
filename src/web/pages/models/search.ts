import { readText } from "../../parts/list-search.ts";

/** The state of the models page in its address. */
export interface ModelsSearch {
  readonly tab?: "prices" | undefined;
  readonly state?: "pending" | "mapped" | undefined;
  readonly q?: string | undefined;
  /** The model whose mapping is shown, and its provider. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

export function readModelsSearch(search: Record<string, unknown>): ModelsSearch {
  const { tab, state } = search;
  const texts = ["q", "model", "provider"].flatMap((name) => {
    const text = readText(search[name]);
    return text === undefined ? [] : [[name, text]];
  });
  return {
    ...(tab === "prices" ? { tab } : {}),
    ...(state === "pending" || state === "mapped" ? { state } : {}),
    ...Object.fromEntries(texts),
  };
}
