import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { isUnreadable } from "../../filter/address.ts";
import { FilterConditions } from "../../filter/filter-conditions.tsx";
import { and, type FilterTree } from "../../filter/tree.ts";
import { within } from "../../metrics/filter.ts";
import { groupName } from "../../metrics/links.tsx";
import type { Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { scoreName } from "../../parts/score-name.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { durationColumn } from "../../parts/value-columns.tsx";
import { CompareVersions } from "./compare-versions.tsx";
import { FALLBACK, metricColumns } from "./page.tsx";
import { ofVersion, type PromptRow, versionsQuery } from "./queries.ts";
import type { PromptSearch } from "./search.ts";
import { shownMean } from "./shown-mean.ts";

const route = getRouteApi("/prompts/$id");

export function PromptPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/prompts/$id" });
  const { filter, left, right, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const change = (part: Partial<PromptSearch>) => void navigate({ search: { ...search, ...part } });
  return (
    <Page
      title={id}
      about="A prompt and its versions."
      actions={
        <>
          <Link to="/prompts" search={{ filter, ...time }} className="button quiet">
            <Icon name="list" /> All prompts
          </Link>
          <TimeRangeMenu
            value={time}
            fallback={FALLBACK}
            onChange={(next) => void navigate({ search: { filter, left, right, ...next } })}
          />
        </>
      }
    >
      {isUnreadable(filter) ? (
        <BrokenLink onClear={() => change({ filter: undefined })} />
      ) : (
        <>
          <FilterConditions
            label="Filter requests"
            tree={filter}
            onChange={(tree) => change({ filter: tree === "all" ? undefined : tree })}
          />
          {span === undefined ? <Loading /> : <Versions prompt={id} span={span} search={search} onChange={change} />}
        </>
      )}
    </Page>
  );
}

interface VersionsProps {
  readonly prompt: string;
  readonly span: Span;
  readonly search: PromptSearch;
  readonly onChange: (search: Partial<PromptSearch>) => void;
}

function Versions({ prompt, span, search, onChange }: VersionsProps) {
  const tree = and(within(span), search.filter as FilterTree | undefined);
  const { data, error, refetch } = useQuery(versionsQuery(prompt, tree));
  const { from, to } = span;
  const names = data?.scores.join("\n") ?? "";
  const columns = useMemo(
    () => columnsOf(prompt, { from, to }, search, names === "" ? [] : names.split("\n")),
    [prompt, from, to, search, names],
  );
  return (
    <ListStates
      rows={data?.rows}
      error={error}
      onRetry={() => void refetch()}
      empty={<Empty title="No request of this prompt in this time">Choose a longer time, or remove a condition.</Empty>}
    >
      {(rows) => (
        <>
          <DataTable
            label="Versions"
            rows={rows}
            columns={columns}
            rowKey={({ prompt_version }) => versionKey(prompt_version)}
          />
          <CompareVersions {...{ prompt, rows, tree, search, onChange, scores: data?.scores ?? [] }} />
        </>
      )}
    </ListStates>
  );
}

/** Null is a version too: that of requests without one. */
const versionKey = (version: string | null | undefined) => JSON.stringify(version ?? null);

function columnsOf(
  prompt: string,
  span: Span,
  search: PromptSearch,
  scores: readonly string[],
): readonly Column<PromptRow>[] {
  return [
    {
      id: "version",
      header: "Version",
      value: ({ prompt_version }) => prompt_version,
      cell: ({ prompt_version }) => groupName("prompt_version", { value: prompt_version ?? null }),
    },
    ...metricColumns(span, ({ prompt_version }) => ofVersion(prompt, prompt_version ?? null), search),
    durationColumn("first", "First token, median", (row) => row.time_to_first_token_p50 ?? null),
    ...scores.map(
      (name): Column<PromptRow> => ({
        id: `score ${name}`,
        header: scoreName(name),
        align: "end",
        value: (row) => row.scores?.[name]?.mean,
        cell: (row) => <span className="number">{shownMean(row.scores?.[name])}</span>,
      }),
    ),
  ];
}
