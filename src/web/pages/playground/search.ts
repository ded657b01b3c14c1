import { readText } from "../../parts/list-search.ts";

/** The state of the playground in its address. */
interface PlaygroundSearch {
  /** Id of the recorded request to try again. */
  readonly from?: string | undefined;
  readonly model?: string | undefined;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const [from, model] = [readText(search["from"]), readText(search["model"])];
  return { ...(from !== undefined && ID.test(from) && { from }), ...(model !== undefined && { model }) };
}
