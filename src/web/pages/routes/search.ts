import { readText } from "../../parts/list-search.ts";

export const ROUTE_TABS = { routes: "Routes", health: "Health", explain: "Explain" } as const;
type RouteTab = keyof typeof ROUTE_TABS;

/** The state of the routes page in its address. */
export interface RoutesSearch {
  readonly tab?: RouteTab | undefined;
  /** The model string that is explained. */
  readonly model?: string | undefined;
}

export function readRoutesSearch({ tab, model }: Record<string, unknown>): RoutesSearch {
  const text = readText(model);
  return {
    ...(tab === "health" || tab === "explain" ? { tab } : {}),
    ...(tab === "explain" && text !== undefined ? { model: text } : {}),
  };
}
