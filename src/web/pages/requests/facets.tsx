import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "../../api.ts";
import { type FilterGroup, toTree } from "../../filter/model.ts";
import { and, during, type FilterTree } from "../../filter/tree.ts";
import { usePropertyNames } from "../../filter/value-input.tsx";
import { groupName } from "../../metrics/links.tsx";
import { formatCompact, formatCount } from "../../parts/format.ts";
import {
  chosenValues,
  FACETS,
  type Facet,
  type FacetValue,
  propertyFacet,
  withoutChoice,
  withToggled,
} from "./facet-filter.ts";
import type { RequestsQuestion } from "./query.ts";

interface Counted {
  readonly name: string;
  readonly values: readonly { readonly value: FacetValue; readonly requests: number }[];
  readonly more: boolean;
}

interface FacetsProps {
  readonly filter: FilterGroup;
  readonly onChange: (filter: FilterGroup) => void;
  readonly question: RequestsQuestion;
  readonly live: boolean;
}

const VALUES_FEW = 8;
const VALUES_MANY = 50;
/** Properties that have a list of their own. */
const PROPERTIES_MAX = 30;
/** Facets that one call of the API counts. */
const AT_ONCE = 8;
const LIVE_MS = 10_000;
const STORED = "weir.facets";
const OPEN_AT_FIRST = ["status", "model", "provider", "user"];

function storedOpen(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "null");
    return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : OPEN_AT_FIRST;
  } catch {
    return OPEN_AT_FIRST; // not written by this page
  }
}

/**
 * The values that requests have, with the number of each. A click filters by a value, a second value of the same list
 * is one more that may be. What a list has chosen does not count for its own numbers, so that others can be added.
 */
export function Facets({ filter, onChange, question, live }: FacetsProps) {
  const [open, setOpen] = useState(storedOpen);
  const [wide, setWide] = useState<readonly string[]>([]);
  const names = usePropertyNames(true);
  const facets = [...FACETS, ...names.slice(0, PROPERTIES_MAX).map(propertyFacet)];
  const asked = facets.filter(({ group }) => open.includes(group));
  const counted = useCounted(asked, { filter, question, live, wide });
  const toggleOpen = (group: string) => {
    const next = open.includes(group) ? open.filter((each) => each !== group) : [...open, group];
    localStorage.setItem(STORED, JSON.stringify(next));
    setOpen(next);
  };
  return (
    <aside className="facets" aria-label="Values">
      {facets.map((facet) => (
        <section key={facet.group} aria-label={facet.label}>
          <h2>
            <button
              type="button"
              className="quiet facet-head"
              aria-expanded={open.includes(facet.group)}
              onClick={() => toggleOpen(facet.group)}
            >
              {facet.label}
            </button>
          </h2>
          {open.includes(facet.group) ? (
            <Values
              facet={facet}
              counted={counted.get(facet.group)}
              chosen={chosenValues(filter, facet)}
              onToggle={(value) => onChange(withToggled(filter, facet, value))}
              onMore={() => setWide([...wide, facet.group])}
            />
          ) : null}
        </section>
      ))}
    </aside>
  );
}

interface Asked extends Pick<FacetsProps, "filter" | "question" | "live"> {
  /** Groups of which more values are shown. */
  readonly wide: readonly string[];
}

/** Facets over the same requests are counted by one call. */
function useCounted(facets: readonly Facet[], { filter, question, live, wide }: Asked) {
  const bodies = new Map<string, { filter: FilterTree; limit: number; facets: string[] }>();
  for (const facet of facets) {
    const tree = and(during(question.moments), toTree(withoutChoice(filter, facet)));
    const limit = wide.includes(facet.group) ? VALUES_MANY : VALUES_FEW;
    let key = JSON.stringify([tree, limit]);
    while ((bodies.get(key)?.facets.length ?? 0) >= AT_ONCE) key += "+";
    const body = bodies.get(key) ?? { filter: tree, limit, facets: [] };
    body.facets.push(facet.group);
    bodies.set(key, body);
  }
  const answers = useQueries({
    queries: [...bodies.values()].map((body) => ({
      queryKey: ["facets", body],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        post<readonly Counted[]>("/v1/request/facets/query", body, signal),
      staleTime: LIVE_MS,
      refetchInterval: live ? LIVE_MS : (false as const),
      placeholderData: keepPreviousData,
      structuralSharing: false, // it would lose a value that is called `__proto__`
    })),
  });
  return new Map(answers.flatMap(({ data }) => (data ?? []).map((each) => [each.name, each] as const)));
}

interface ValuesProps {
  readonly facet: Facet;
  readonly counted: Counted | undefined;
  readonly chosen: readonly FacetValue[];
  readonly onToggle: (value: FacetValue) => void;
  readonly onMore: () => void;
}

function Values({ facet, counted, chosen, onToggle, onMore }: ValuesProps) {
  if (counted === undefined) return <p className="facet-note">Counting…</p>;
  const known = new Set(counted.values.map(({ value }) => value));
  const rows = [
    ...counted.values,
    ...chosen.filter((value) => !known.has(value)).map((value) => ({ value, requests: undefined })),
  ];
  if (rows.length === 0) return <p className="facet-note">None</p>;
  return (
    <ul>
      {rows.map(({ value, requests }) => (
        <li key={JSON.stringify(value)}>
          <button
            type="button"
            className="quiet facet-value"
            aria-pressed={chosen.includes(value)}
            title={groupName(facet.group, { value })}
            onClick={() => onToggle(value)}
          >
            <span className="facet-name">{groupName(facet.group, { value })}</span>
            <span className="number" title={formatCount(requests)}>
              {requests === undefined ? "" : formatCompact(requests)}
            </span>
          </button>
        </li>
      ))}
      {counted.more && counted.values.length < VALUES_MANY ? (
        <li>
          <button type="button" className="quiet small" onClick={onMore}>
            More
          </button>
        </li>
      ) : null}
    </ul>
  );
}
