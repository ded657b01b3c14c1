import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { propertyKey } from "../../metrics/filter.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { propertyNamesQuery } from "../../name-queries.ts";
import { isTyping } from "../../parts/list-search.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import type { PropertiesSearch } from "./search.ts";
import { Values } from "./values.tsx";

const FALLBACK = "30d";

export function PropertiesPage() {
  const search = useSearch({ from: "/properties" });
  const navigate = useNavigate({ from: "/properties" });
  const { name, q, sort, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const names = useQuery(propertyNamesQuery);
  const shown = name ?? names.data?.[0];
  const change = (next: Partial<PropertiesSearch>) =>
    void navigate({ search: { ...search, ...next }, replace: isTyping(search, next) });
  return (
    <Page
      title="Properties"
      about="Labels of requests, from Gateway-Property headers or set later."
      actions={
        <TimeRangeMenu
          value={time}
          fallback={FALLBACK}
          onChange={(next) => void navigate({ search: { name, q, sort, ...next } })}
        />
      }
    >
      <ListStates
        rows={names.data}
        error={names.error}
        onRetry={() => void names.refetch()}
        empty={
          <Empty title="No request has a property yet">
            Send <code>Gateway-Property-Team: night</code> with a request, or set one later with{" "}
            <code>PUT /v1/request/&lt;id&gt;/property</code>.
          </Empty>
        }
      >
        {(all) => (
          <div className="beside">
            <Names names={all} shown={shown} search={search} />
            {shown === undefined || span === undefined ? (
              <Loading />
            ) : (
              <section className="beside-main" aria-label={`Values of ${shown}`}>
                <div className="beside-head">
                  <h2>{shown}</h2>
                  <Link to="/overview" search={{ ...time, by: propertyKey(shown) }}>
                    Costs over time by this property
                  </Link>
                </div>
                <Values key={shown} name={shown} span={span} q={q} sort={sort} onChange={change} />
              </section>
            )}
          </div>
        )}
      </ListStates>
    </Page>
  );
}

interface NamesProps {
  readonly names: readonly string[];
  readonly shown: string | undefined;
  readonly search: PropertiesSearch;
}

/** Names shown at a time; a search finds the others. */
const NAMES_SHOWN = 200;

function Names({ names, shown, search }: NamesProps) {
  const [part, setPart] = useState("");
  const found = names.filter((name) => name.toLowerCase().includes(part.toLowerCase()));
  const { q: _q, sort: _sort, page: _page, ...kept } = search;
  return (
    <nav className="beside-list" aria-label="Property names">
      <input
        type="search"
        aria-label="Search property names"
        placeholder="Search names"
        value={part}
        onChange={(event) => setPart(event.target.value)}
      />
      <ul>
        {found.slice(0, NAMES_SHOWN).map((name) => (
          <li key={name}>
            <Link
              to="/properties"
              search={{ ...kept, name }}
              className="nav-link"
              activeProps={{}}
              aria-current={name === shown ? "true" : undefined}
            >
              <span className="clipped" title={name}>
                {name}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <p className="muted" aria-live="polite">
        {found.length === 0
          ? "No name contains this text"
          : found.length > NAMES_SHOWN
            ? `and ${found.length - NAMES_SHOWN} more`
            : ""}
      </p>
    </nav>
  );
}
