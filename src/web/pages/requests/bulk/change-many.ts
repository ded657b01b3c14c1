import { call } from "../../../api.ts";
import type { FilterTree } from "../../../filter/tree.ts";

/** The change to each request. */
export interface Work {
  readonly method: "PUT" | "POST" | "DELETE";
  readonly path: string;
  /** Members besides those that select the requests. */
  readonly body: object;
  /** The number of changed requests in a response's data; by default the data itself. */
  readonly counted?: (data: unknown) => number;
}

/** The selected requests: by their ids, or all of a filter; with words, those that a search finds. */
export type Target =
  | { readonly ids: readonly string[] }
  | { readonly filter: FilterTree; readonly search?: string | undefined };

/** Requests per call: few enough for frequent progress. */
const STEP = 200;
/** Ids per call of a search. */
const FOUND_MAX = 1_000;

export interface Change {
  readonly target: Target;
  readonly work: Work;
  /** Whether to stop before the next step. The current step is finished, so that the number is exact. */
  readonly isStopped: () => boolean;
  /** Called with the number of requests changed so far. */
  readonly onProgress: (changed: number) => void;
}

/** Changes requests a step at a time. @returns how many were changed. */
export async function changeMany({ target, work, isStopped, onProgress }: Change): Promise<number> {
  const { method, path, body, counted = Number } = work;
  let changed = 0;
  for await (const { which, goOn } of steps(target)) {
    if (isStopped()) break;
    const response = await call<unknown>(method, path, { body: { ...body, ...which } });
    changed += counted(response.data);
    onProgress(changed);
    goOn(response.next_cursor ?? null);
  }
  return changed;
}

interface Step {
  /** Members of the body that select requests. */
  readonly which: object;
  /** Called if the response has a cursor for the next step. */
  readonly goOn: (cursor: string | null) => void;
}

async function* steps(target: Target): AsyncGenerator<Step> {
  if ("ids" in target) {
    for (let at = 0; at < target.ids.length; at += STEP)
      yield { which: { requestIds: target.ids.slice(at, at + STEP) }, goOn: () => {} };
  } else if (target.search !== undefined) {
    yield* steps({ ids: await searched(target.filter, target.search) });
  } else {
    let cursor: string | null = null;
    do {
      const which = { filter: target.filter, limit: STEP, ...(cursor === null ? {} : { cursor }) };
      const goOn = (next: string | null) => {
        cursor = next;
      };
      yield { which, goOn };
    } while (cursor !== null);
  }
}

/** The ids of all hits, collected before any request is changed: a change may alter the hits. */
async function searched(filter: FilterTree, search: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const body: object = {
      filter,
      search,
      limit: FOUND_MAX,
      includeBody: false,
      ...(cursor === null ? {} : { cursor }),
    };
    const response = await call<readonly { readonly request_id: string }[]>("POST", "/v1/request/query", { body });
    ids.push(...response.data.map(({ request_id }) => request_id));
    cursor = response.next_cursor ?? null;
  } while (cursor !== null);
  return ids;
}
