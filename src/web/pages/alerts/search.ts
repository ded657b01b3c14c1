import { readText } from "../../parts/list-search.ts";

/** The state of the alerts page in its address. */
export interface AlertsSearch {
  readonly tab?: "webhooks" | undefined;
  /** Id of the alert or webhook whose history is shown. */
  readonly id?: string | undefined;
  /** Members of a suggested alert: its form opens with them. */
  readonly draft?: object | undefined;
}

export function readAlertsSearch({ tab, id, draft }: Record<string, unknown>): AlertsSearch {
  const shown = readText(id);
  return {
    ...(tab === "webhooks" ? { tab } : {}),
    ...(shown === undefined ? {} : { id: shown }),
    ...(typeof draft === "object" && draft !== null ? { draft } : {}),
  };
}
