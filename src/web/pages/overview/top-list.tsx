import { useQuery } from "@tanstack/react-query";
import { useId, useMemo } from "react";
import { and, type FilterTree } from "../../filter/tree.ts";
import { figureColumns } from "../../metrics/figure-columns.tsx";
import { ofGroup, within } from "../../metrics/filter.ts";
import { groupName, RequestsLink } from "../../metrics/links.tsx";
import { metricsQuery } from "../../metrics/queries.ts";
import { isoSpan, type Span } from "../../metrics/range.ts";
import type { MetricsRow } from "../../metrics/series.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListRoom } from "../../parts/list-room.tsx";

const GROUPS_MAX = 1_000;
const SHOWN = 10;

interface TopListProps {
  readonly title: string;
  readonly by: string;
  readonly span: Span;
  readonly filter: FilterTree;
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
      <ListRoom rows={rows} error={query.error} onRetry={() => void query.refetch()} empty="Nothing to add up">
        {(shown) => (
          <DataTable label={title} rows={shown} columns={columns} rowKey={(row) => JSON.stringify(row[by] ?? null)} />
        )}
      </ListRoom>
    </section>
  );
}

function columnsOf(by: string, span: Span, filter: FilterTree, whole: number | null): Column<MetricsRow>[] {
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
    ...figureColumns(whole),
  ];
}
