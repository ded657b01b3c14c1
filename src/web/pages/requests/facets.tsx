import { Link } from "@tanstack/react-router";
import { memo, useState } from "react";
import type { FilterGroup } from "../../filter/model.ts";
import { usePropertyNames } from "../../filter/value-input.tsx";
import { groupName } from "../../metrics/links.tsx";
import { formatCompact, formatCount } from "../../parts/format.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { type Counted, useCounted, VALUES_MAX, type Wanted } from "./facet-counts.ts";
import { chosenValues, FACETS, type Facet, type FacetValue, propertyFacet, withToggled } from "./facet-filter.ts";
import type { RequestsQuestion } from "./query.ts";

interface FacetsProps {
  readonly filter: FilterGroup;
  readonly onChange: (filter: FilterGroup) => void;
  readonly question: RequestsQuestion;
  readonly live: boolean;
}

/** Properties with a list of their own, at most. */
const PROPERTIES_MAX = 30;
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
 * The values of requests, with the number of each. A click filters by a value; a second value of the same list is added as
 * an alternative. A list's own selection does not affect its counts, so that more values can be added. Not rendered again
 * for each page of rows.
 */
export const Facets = memo(({ filter, onChange, question, live }: FacetsProps) => {
  const [open, setOpen] = useState(storedOpen);
  const [wanted, setWanted] = useState<Readonly<Record<string, Wanted>>>({});
  const names = usePropertyNames(true);
  const facets = [...FACETS, ...names.slice(0, PROPERTIES_MAX).map(propertyFacet)];
  const shown = facets.filter(({ group }) => open.includes(group));
  const counted = useCounted(shown, { filter, question, live, wanted });
  const want = (group: string, more: Wanted) => setWanted({ ...wanted, [group]: { ...wanted[group], ...more } });
  const toggleOpen = (group: string) => {
    const next = open.includes(group) ? open.filter((each) => each !== group) : [...open, group];
    localStorage.setItem(STORED, JSON.stringify(next));
    setOpen(next);
  };
  return (
    <aside className="facets" aria-label="Facets">
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
              wanted={wanted[facet.group] ?? {}}
              onWant={(more) => want(facet.group, more)}
            />
          ) : null}
        </section>
      ))}
      {names.length <= PROPERTIES_MAX ? null : (
        <p className="facet-note">
          The first {PROPERTIES_MAX} of {formatCount(names.length)} properties.{" "}
          <Link to="/properties">All of them</Link> have their values on a page of their own.
        </p>
      )}
    </aside>
  );
});

interface ValuesProps {
  readonly facet: Facet;
  readonly counted: Counted | undefined;
  readonly chosen: readonly FacetValue[];
  readonly onToggle: (value: FacetValue) => void;
  readonly wanted: Wanted;
  readonly onWant: (wanted: Wanted) => void;
}

/** How many values are shown after each click on "more". */
const MORE = [50, 250, VALUES_MAX] as const;

function Values({ facet, counted, chosen, onToggle, wanted, onWant }: ValuesProps) {
  if (counted === undefined) return <p className="facet-note">Counting…</p>;
  const known = new Set(counted.values.map(({ value }) => value));
  const rows = [
    ...counted.values,
    ...chosen.filter((value) => !known.has(value)).map((value) => ({ value, requests: undefined })),
  ];
  const isSearched = wanted.search !== undefined;
  const next = MORE.find((limit) => limit > (wanted.limit ?? 0));
  return (
    <>
      {(counted.more || wanted.limit !== undefined || isSearched) && facet.isText ? (
        <SearchBox
          label={`Search ${facet.label}`}
          value={wanted.search ?? ""}
          onSearch={(text) => onWant({ search: text || undefined })}
        />
      ) : null}
      {rows.length === 0 ? <p className="facet-note">{isSearched ? "No matching value" : "None"}</p> : null}
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
      </ul>
      {counted.more && next !== undefined ? (
        <button type="button" className="quiet small" onClick={() => onWant({ limit: next })}>
          More<span className="unseen"> values of {facet.label}</span>
        </button>
      ) : null}
      {counted.more && next === undefined ? (
        <p className="facet-note">The {formatCount(VALUES_MAX)} most frequent. Search for others.</p>
      ) : null}
    </>
  );
}
