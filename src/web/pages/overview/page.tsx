import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { isUnreadable } from "../../filter/address.ts";
import { FilterConditions } from "../../filter/filter-conditions.tsx";
import type { FilterTree } from "../../filter/tree.ts";
import { isoSpan, type Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { Page } from "../../parts/page.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { Charts } from "./charts.tsx";
import { Nothing } from "./nothing.tsx";
import type { OverviewSearch } from "./search.ts";
import { SplitMenu } from "./split-menu.tsx";
import { Changes, Tiles } from "./tiles.tsx";
import { TopLists } from "./top-lists.tsx";
import { useOverviewMetrics } from "./use-metrics.ts";

const FALLBACK = "7d";

export function OverviewPage() {
  const search = useSearch({ from: "/overview" });
  const navigate = useNavigate({ from: "/overview" });
  const change = (next: OverviewSearch) => void navigate({ search: next });
  const { by, filter, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const clear = () => change({ ...time, ...(by === undefined ? {} : { by }) });
  return (
    <Page
      title="Overview"
      about="How many requests there are, what they cost, how long they take and how often they fail."
      actions={
        <>
          <SplitMenu by={by} onChange={(next) => change({ ...time, filter, ...(next === "" ? {} : { by: next }) })} />
          <TimeRangeMenu
            value={time}
            fallback={FALLBACK}
            onChange={(next) => change({ ...next, ...(by === undefined ? {} : { by }), filter })}
          />
        </>
      }
    >
      {isUnreadable(filter) ? null : (
        <FilterConditions
          label="Filter requests"
          tree={filter}
          onChange={(tree) =>
            change({ ...time, ...(by === undefined ? {} : { by }), ...(tree === "all" ? {} : { filter: tree }) })
          }
        />
      )}
      {isUnreadable(filter) ? (
        <BrokenLink onClear={clear} />
      ) : span === undefined ? (
        <Loading />
      ) : (
        <Content
          span={span}
          by={by}
          filter={(filter ?? "all") as FilterTree}
          onZoom={(part) => change({ ...isoSpan(part), ...(by === undefined ? {} : { by }), filter })}
        />
      )}
    </Page>
  );
}

interface ContentProps {
  readonly span: Span;
  readonly by: string | undefined;
  readonly filter: FilterTree;
  readonly onZoom: (part: Span) => void;
}

function Content({ span, by, filter, onZoom }: ContentProps) {
  const stable = useMemo(() => ({ from: span.from, to: span.to }), [span.from, span.to]);
  const metrics = useOverviewMetrics(stable, by, filter);
  if (metrics.error !== null) return <Failed error={metrics.error} onRetry={metrics.retry} />;
  const { totals, before, cache } = metrics;
  if (totals?.requests === 0) return <Nothing />;
  return (
    <>
      <Tiles totals={totals} before={before} cache={cache} />
      <Changes totals={totals} before={before} />
      <Charts metrics={metrics} filter={filter} by={by} span={stable} onZoom={onZoom} />
      <TopLists by={by} span={stable} filter={filter} whole={totals?.cost} />
    </>
  );
}
