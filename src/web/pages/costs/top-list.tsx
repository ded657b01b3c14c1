import { useQuery } from "@tanstack/react-query";
import { useId, useMemo } from "react";
import { and, type FilterNode, ofGroup, within } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { groupName, isoSpan, RequestsLink } from "../../metrics/links.tsx";
import { metricsQuery } from "../../metrics/queries.ts";
import type { Span } from "../../metrics/range.ts";
import { type MetricsRow, share } from "../../metrics/series.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { Count, Duration, Money } from "../../parts/values.tsx";

const GROUPS_MAX = 1_000;
const SHOWN = 10;

interface TopListProps {
  readonly title: string;
  readonly by: string;
  readonly span: Span;
  readonly filter: FilterNode;
  /** US dollars of the whole span. */
  readonly whole: number | null | undefined;
}

/** The groups that cost most, each with its figures. */
export function TopList({ title, by, span, filter, whole }: TopListProps) {
  const id = useId();
  const question = JSON.stringify([filter, span.to - span.from, by]);
  const query = useQuery(
    metricsQuery({ filter: and(filter, within(span)), group_by: [by], limit: GROUPS_MAX }, `list ${question}`),
  );
  const rows = query.data?.toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.requests - a.requests).slice(0, SHOWN);
  const columns = useMemo(() => columnsOf(by, span, filter, whole ?? null), [by, span, filter, whole]);
  return (
    <section aria-labelledby={id} className="top-list">
      <h2 id={id}>{title}</h2>
      {query.error !== null ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : rows === undefined ? (
        <div className="table-room">
          <Loading rows={4} />
        </div>
      ) : rows.length === 0 ? (
        <div className="table-room">
          <Empty title="Nothing to add up" />
        </div>
      ) : (
        <DataTable label={title} rows={rows} columns={columns} rowKey={(row) => JSON.stringify(row[by] ?? null)} />
      )}
    </section>
  );
}

function columnsOf(by: string, span: Span, filter: FilterNode, whole: number | null): Column<MetricsRow>[] {
  const groupOf = (row: MetricsRow) => ({ value: row[by] ?? null });
  return [
    {
      id: "name",
      header: "Name",
      value: (row) => groupName(by, groupOf(row)),
      cell: (row) => (
        <RequestsLink filter={and(filter, ofGroup(by, groupOf(row)))} time={isoSpan(span)}>
          {groupName(by, groupOf(row))}
        </RequestsLink>
      ),
    },
    { id: "cost", header: "Cost", align: "end", value: (row) => row.cost, cell: (row) => <Money of={row.cost} /> },
    {
      id: "share",
      header: "Share",
      cell: (row) => {
        const part = share(row.cost, whole);
        return <Meter label="Share of the cost" value={part ?? 0} max={1} text={formatPercent(part)} />;
      },
    },
    {
      id: "requests",
      header: "Requests",
      align: "end",
      value: (row) => row.requests,
      cell: (row) => <Count of={row.requests} />,
    },
    {
      id: "tokens",
      header: "Tokens",
      align: "end",
      value: (row) => row.total_tokens,
      cell: (row) => <Count of={row.total_tokens} short />,
    },
    {
      id: "errors",
      header: "Error rate",
      align: "end",
      value: (row) => share(row.errors, row.requests),
      cell: (row) => <span className="number">{formatPercent(share(row.errors, row.requests))}</span>,
    },
    {
      id: "p50",
      header: "Median",
      align: "end",
      value: (row) => row.latency_p50,
      cell: (row) => <Duration of={row.latency_p50} />,
    },
    {
      id: "p95",
      header: "p95",
      align: "end",
      value: (row) => row.latency_p95,
      cell: (row) => <Duration of={row.latency_p95} />,
    },
  ];
}
