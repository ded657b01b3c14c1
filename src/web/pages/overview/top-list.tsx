import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useMemo, useState } from "react";
import { TableDownload } from "../../download/table-download.tsx";
import { and, type FilterTree } from "../../filter/tree.ts";
import { ofGroup, within } from "../../metrics/filter.ts";
import { groupName, RequestsLink } from "../../metrics/links.tsx";
import { metricColumns } from "../../metrics/metric-columns.tsx";
import { metricsQuery } from "../../metrics/queries.ts";
import { isoSpan, type Span } from "../../metrics/range.ts";
import type { MetricsRow } from "../../metrics/series.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";

const GROUPS_MAX = 1_000;
const SHOWN = 10;

interface TopListProps {
  readonly title: string;
  readonly by: string;
  readonly span: Span;
  readonly filter: FilterTree;
  /** US dollars of the complete span. */
  readonly whole: number | null | undefined;
  /** A control to choose the list's dimension. */
  readonly choice?: ReactNode;
  /** Hidden if no request has a value. */
  readonly isOptional?: boolean;
  /** Whether the list may load now. */
  readonly isEnabled: boolean;
  readonly onLoaded: () => void;
}

/** The groups with the highest cost, each with its metrics. */
export function TopList({ title, by, span, filter, whole, ...list }: TopListProps) {
  const { choice, isOptional = false, isEnabled, onLoaded } = list;
  const id = useId();
  const [isAll, setAll] = useState(false);
  const question = JSON.stringify([filter, span.to - span.from, by]);
  const query = useQuery({
    ...metricsQuery({ filter: and(filter, within(span)), group_by: [by], limit: GROUPS_MAX }, `list ${question}`),
    enabled: isEnabled,
  });
  useEffect(() => {
    if (query.isFetched) onLoaded();
  }, [query.isFetched]);
  const all = useMemo(
    () => query.data?.toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.requests - a.requests),
    [query.data],
  );
  const columns = useMemo(() => columnsOf(by, span, filter, whole ?? null), [by, span, filter, whole]);
  if (isOptional && (all ?? []).every((row) => (row[by] ?? null) === null)) return null;
  return (
    <section aria-labelledby={id} className="top-list">
      <header className="top-list-head">
        <h2 id={id}>{title}</h2>
        {choice}
        {all === undefined || all.length === 0 ? null : (
          <TableDownload name={`overview ${title.toLowerCase()}`.replaceAll(" ", "-")} ask={async () => all} />
        )}
      </header>
      <ListStates
        rows={isAll ? all : all?.slice(0, SHOWN)}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty="No requests"
      >
        {(shown) => (
          <>
            <DataTable label={title} rows={shown} columns={columns} rowKey={(row) => JSON.stringify(row[by] ?? null)} />
            {all !== undefined && all.length > SHOWN ? (
              <button type="button" className="quiet small" onClick={() => setAll(!isAll)}>
                {isAll ? `Show the first ${SHOWN}` : `Show all ${all.length}`}
                <span className="unseen"> {title.toLowerCase()}</span>
              </button>
            ) : null}
          </>
        )}
      </ListStates>
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
    ...metricColumns(whole),
  ];
}
