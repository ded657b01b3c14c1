import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { isUnreadable } from "../../filter/address.ts";
import { FilterConditions } from "../../filter/filter-conditions.tsx";
import { and, type FilterTree } from "../../filter/tree.ts";
import { within } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { isoSpan, type Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { costColumn, countColumn, durationColumn, shortCountColumn } from "../../parts/value-columns.tsx";
import { ofPrompt, type PromptRow, promptsQuery, versionCountsQuery } from "./queries.ts";
import type { PromptsSearch } from "./search.ts";

export const FALLBACK = "30d";

export function PromptsPage() {
  const search = useSearch({ from: "/prompts" });
  const navigate = useNavigate({ from: "/prompts" });
  const { filter, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const change = (part: Partial<PromptsSearch>) => void navigate({ search: { ...search, ...part } });
  return (
    <Page
      title="Prompts"
      about="Prompts that requests name in Gateway-Prompt-Id, and what each of their versions does."
      actions={
        <TimeRangeMenu
          value={time}
          fallback={FALLBACK}
          onChange={(next) => void navigate({ search: { filter, ...next } })}
        />
      }
    >
      {isUnreadable(filter) ? (
        <BrokenLink onClear={() => change({ filter: undefined })} />
      ) : (
        <>
          <FilterConditions
            label="Filter prompts"
            tree={filter}
            onChange={(tree) => change({ filter: tree === "all" ? undefined : tree })}
          />
          {span === undefined ? <Loading /> : <Prompts span={span} search={search} />}
        </>
      )}
    </Page>
  );
}

function Prompts({ span, search }: { readonly span: Span; readonly search: PromptsSearch }) {
  const tree = and(within(span), search.filter as FilterTree | undefined);
  const { data, error, refetch } = useQuery(promptsQuery(tree));
  const { data: versions } = useQuery(versionCountsQuery(tree));
  const { from, to } = span;
  const columns = useMemo(() => columnsOf({ from, to }, search, versions), [from, to, search, versions]);
  return (
    <ListStates
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      empty={
        <Empty title="No request in this time names a prompt">
          Send <code>Gateway-Prompt-Id: support</code> and <code>Gateway-Prompt-Version: 2</code> with a request, or run
          a dataset with a new version.
        </Empty>
      }
    >
      {(rows) => <DataTable label="Prompts" rows={rows} columns={columns} rowKey={({ prompt }) => prompt ?? ""} />}
    </ListStates>
  );
}

function columnsOf(
  span: Span,
  search: PromptsSearch,
  versions: ReadonlyMap<string, number> | undefined,
): readonly Column<PromptRow>[] {
  return [
    {
      id: "prompt",
      header: "Prompt",
      value: ({ prompt }) => prompt,
      cell: ({ prompt }) => (
        <Link to="/prompts/$id" params={{ id: prompt! }} search={search}>
          {prompt}
        </Link>
      ),
    },
    countColumn("versions", "Versions", ({ prompt }) => versions?.get(prompt!) ?? null),
    ...metricColumns(span, ({ prompt }) => ofPrompt(prompt!), search),
  ];
}

/** Columns for prompts and versions; the number of requests links to them. */
export const metricColumns = (
  span: Span,
  filterOf: (row: PromptRow) => FilterTree,
  { filter }: PromptsSearch,
): readonly Column<PromptRow>[] => [
  {
    ...countColumn<PromptRow>("requests", "Requests", ({ requests }) => requests),
    cell: (row) => (
      <RequestsLink filter={and(filter as FilterTree | undefined, filterOf(row))} time={isoSpan(span)}>
        {row.requests}
      </RequestsLink>
    ),
  },
  {
    id: "errors",
    header: "Error rate",
    align: "end",
    value: ({ error_rate }) => error_rate,
    cell: ({ error_rate }) => <span className="number">{formatPercent(error_rate)}</span>,
  },
  costColumn(),
  {
    ...costColumn<PromptRow & { readonly cost: number | null }>(),
    id: "cost_each",
    header: "Cost each",
    value: costEach,
    cell: (row) => costColumn().cell({ cost: costEach(row) }),
  },
  shortCountColumn("prompt_tokens", "Input tokens", (row) => row.prompt_tokens),
  shortCountColumn("completion_tokens", "Output tokens", (row) => row.completion_tokens),
  durationColumn("p50", "Latency, median", (row) => row.latency_p50),
  durationColumn("p95", "Latency, p95", (row) => row.latency_p95),
];

export const costEach = ({ cost, requests }: PromptRow): number | null =>
  cost === null || requests === 0 ? null : cost / requests;
