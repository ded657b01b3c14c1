import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { post } from "../../api.ts";
import { type FilterGroup, toTree } from "../../filter/model.ts";
import { and, during, type FilterTree } from "../../filter/tree.ts";
import { type Facet, type FacetValue, withoutChoice, withSearch } from "./facet-filter.ts";
import type { RequestsQuestion } from "./query.ts";

export interface Counted {
  readonly name: string;
  readonly values: readonly { readonly value: FacetValue; readonly requests: number }[];
  readonly more: boolean;
}

/** Which values of a facet are counted. */
export interface Wanted {
  /** The maximum number of values, most frequent first. */
  readonly limit?: number;
  /** Only values that contain this text. */
  readonly search?: string | undefined;
}

const VALUES_FEW = 8;
/** The API's maximum per call. */
export const VALUES_MAX = 1_000;
/** Facets per call of the API. */
const AT_ONCE = 8;
const LIVE_MS = 10_000;

interface CountOptions {
  readonly filter: FilterGroup;
  readonly question: RequestsQuestion;
  readonly live: boolean;
  /** By group, if more than the first values are wanted. */
  readonly wanted: Readonly<Record<string, Wanted>>;
}

/** Facets over the same requests are counted in one call. */
export function useCounted(facets: readonly Facet[], { filter, question, live, wanted }: CountOptions) {
  const bodies = new Map<string, { filter: FilterTree; limit: number; facets: string[] }>();
  for (const facet of facets) {
    const { limit = VALUES_FEW, search } = wanted[facet.group] ?? {};
    const others = search === undefined ? withoutChoice(filter, facet) : withSearch(filter, facet, search);
    const tree = and(during(question.moments), toTree(others));
    let key = JSON.stringify([tree, limit]);
    while ((bodies.get(key)?.facets.length ?? 0) >= AT_ONCE) key += "+";
    const body = bodies.get(key) ?? { filter: tree, limit, facets: [] };
    body.facets.push(facet.group);
    bodies.set(key, body);
  }
  const results = useQueries({
    queries: [...bodies.values()].map((body) => ({
      queryKey: ["facets", body],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        post<readonly Counted[]>("/v1/request/facets/query", body, signal),
      staleTime: LIVE_MS,
      refetchInterval: live ? LIVE_MS : (false as const),
      placeholderData: keepPreviousData,
      structuralSharing: false, // it would lose a value called `__proto__`
    })),
  });
  return new Map(results.flatMap(({ data }) => (data ?? []).map((each) => [each.name, each] as const)));
}
