import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ListedScore } from "../../../engine/aggregates.ts";
import { post } from "../../api.ts";
import { isUnreadable } from "../../filter/address.ts";
import { FilterConditions } from "../../filter/filter-conditions.tsx";
import { and, type FilterTree } from "../../filter/tree.ts";
import { scored, within } from "../../metrics/filter.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { isoSpan, type Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { scoreName } from "../../parts/score-name.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { countColumn } from "../../parts/value-columns.tsx";
import { formatValue } from "../dashboards/metrics.ts";
import { SplitMenu } from "../overview/split-menu.tsx";
import { FALLBACK, ScoreBoard } from "./score-board.tsx";
import type { ScoresSearch } from "./search.ts";

export function ScoresPage() {
  const search = useSearch({ from: "/scores" });
  const navigate = useNavigate({ from: "/scores" });
  const { score, by, filter, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const change = (part: Partial<ScoresSearch>) => void navigate({ search: { ...search, ...part } });
  const onTime = (next: Partial<ScoresSearch>) => void navigate({ search: { score, by, filter, ...next } });
  return (
    <Page
      title="Scores"
      about="Scores from programs, judges and people, over time and by group."
      actions={
        <>
          <SplitMenu by={by} onChange={(next) => change({ by: next === "" ? undefined : next })} />
          <TimeRangeMenu value={time} fallback={FALLBACK} onChange={onTime} />
        </>
      }
    >
      {isUnreadable(filter) ? (
        <BrokenLink onClear={() => change({ filter: undefined })} />
      ) : (
        <>
          <FilterConditions
            label="Filter scores"
            tree={filter}
            onChange={(tree) => change({ filter: tree === "all" ? undefined : tree })}
          />
          {span === undefined ? (
            <Loading />
          ) : (
            <Scores span={span} search={search} onZoom={(part) => onTime(isoSpan(part))} />
          )}
        </>
      )}
    </Page>
  );
}

interface ScoresProps {
  readonly span: Span;
  readonly search: ScoresSearch;
  readonly onZoom: (span: Span) => void;
}

function Scores({ span, search, onZoom }: ScoresProps) {
  const { by, filter: given, score: named, ...time } = search;
  const filter = (given ?? "all") as FilterTree;
  const scope = and(filter, within(span));
  const { data, error, refetch } = useQuery({
    queryKey: ["scores", filter, scope],
    queryFn: ({ signal }) => post<readonly ListedScore[]>("/v1/score/query", { filter: scope }, signal),
    // The span advances each minute and keeps the previous data; for another filter they would be wrong.
    placeholderData: (shown, query) => (query?.queryKey[1] === filter ? keepPreviousData(shown) : undefined),
  });
  const { from, to } = span;
  const score = named ?? data?.[0]?.score;
  const columns = useMemo(() => columnsOf({ from, to }, search, score), [from, to, search, score]);
  return (
    <>
      <ListStates
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No request in this time has a score">
            <p>
              Your program sends one with <code>POST /v1/request/&lt;id&gt;/score</code>, a plugin returns them, and a
              judge has a model give them.
            </p>
            <Link to="/judges" className="button">
              See judges
            </Link>
          </Empty>
        }
      >
        {(rows) => <DataTable label="Scores" rows={rows} columns={columns} rowKey={(row) => row.score} />}
      </ListStates>
      {score === undefined || data === undefined || data.length === 0 ? null : (
        <ScoreBoard key={score} {...{ score, by, filter, time, span, onZoom }} />
      )}
    </>
  );
}

function columnsOf(span: Span, search: ScoresSearch, chosen: string | undefined): readonly Column<ListedScore>[] {
  const valueColumn = (id: "mean" | "min" | "max", header: string): Column<ListedScore> => ({
    ...{ id, header, align: "end" },
    value: (row) => row[id],
    cell: (row) => <span className="number">{formatValue(`score:${row.score}`, row[id])}</span>,
  });
  return [
    {
      id: "score",
      header: "Score",
      value: ({ score }) => scoreName(score),
      cell: ({ score }) => (
        <Link to="/scores" search={{ ...search, score }} aria-current={score === chosen ? "true" : undefined}>
          {scoreName(score)}
        </Link>
      ),
    },
    {
      ...countColumn<ListedScore>("requests", "Requests", ({ requests }) => requests),
      cell: ({ score, requests }) => (
        <RequestsLink filter={and(search.filter as FilterTree | undefined, scored(score))} time={isoSpan(span)}>
          {requests}
        </RequestsLink>
      ),
    },
    valueColumn("mean", "Mean"),
    valueColumn("min", "Min"),
    valueColumn("max", "Max"),
  ];
}
