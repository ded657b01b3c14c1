import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { TableDownload } from "../../download/table-download.tsx";
import { and, leaf } from "../../filter/tree.ts";
import { ofGroup, propertyKey, within } from "../../metrics/filter.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { metricColumns } from "../../metrics/metric-columns.tsx";
import { metricsQuery } from "../../metrics/queries.ts";
import { isoSpan, type Span } from "../../metrics/range.ts";
import type { MetricsRow } from "../../metrics/series.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { readSorted, sortText } from "../../parts/list-search.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import type { PropertiesSearch } from "./search.ts";

/** Values that are shown: the most used. */
const VALUES_MAX = 500;

interface ValuesProps {
  readonly name: string;
  readonly span: Span;
  readonly q: string | undefined;
  readonly sort: string | undefined;
  readonly onChange: (next: Partial<PropertiesSearch>) => void;
}

/** The values of one property, with the metrics of their requests. */
export function Values({ name, span, q, sort, onChange }: ValuesProps) {
  const key = propertyKey(name);
  const condition = q === undefined ? { "not-equals": null } : { contains: q };
  const filter = and(within(span), leaf("properties", { [name]: condition }));
  const query = useQuery(
    metricsQuery(
      { filter, group_by: [key], limit: VALUES_MAX },
      JSON.stringify(["values", key, span.to - span.from, q]),
    ),
  );
  const whole = query.data?.reduce((sum, { cost }) => sum + (cost ?? 0), 0) ?? 0;
  const columns = useMemo(
    () => columnsOf(key, { from: span.from, to: span.to }, whole),
    [key, span.from, span.to, whole],
  );
  const sorted = readSorted(sort, SORTS, { id: "cost", desc: true });
  const rows = useMemo(
    () => query.data && inOrder(query.data, columns.find(({ id }) => id === sorted.id)?.value, sorted.desc),
    [query.data, columns, sorted.id, sorted.desc],
  );
  return (
    <>
      <div className="list-tools">
        <SearchBox label="Search values" value={q ?? ""} onSearch={(text) => onChange({ q: text || undefined })} />
        {rows === undefined || rows.length === 0 ? null : (
          <TableDownload name={`values-${name}`} ask={async () => rows} />
        )}
      </div>
      <ListStates
        rows={rows}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={q === undefined ? "No request in this time has this property" : "No value contains this text"}
      >
        {(all) => (
          <>
            <DataTable
              label={`Values of ${name}`}
              rows={all}
              columns={columns}
              rowKey={(row) => JSON.stringify(row[key] ?? null)}
              sort={sorted}
              onSort={(next) => onChange({ sort: sortText(next) })}
            />
            {all.length === VALUES_MAX ? <p className="muted">The {VALUES_MAX} most used values are shown.</p> : null}
          </>
        )}
      </ListStates>
    </>
  );
}

const SORTS = ["value", "cost", "requests", "tokens", "errors", "p50", "p95"];

function inOrder(
  rows: readonly MetricsRow[],
  value: Column<MetricsRow>["value"] = () => null,
  desc: boolean,
): readonly MetricsRow[] {
  return rows.toSorted((a, b) => {
    const [one, other] = [value(a) ?? null, value(b) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return (one < other ? -1 : one > other ? 1 : 0) * (desc ? -1 : 1);
  });
}

function columnsOf(key: string, span: Span, whole: number): Column<MetricsRow>[] {
  const valueIn = (row: MetricsRow) => row[key] ?? null;
  return [
    {
      id: "value",
      header: "Value",
      value: (row) => String(valueIn(row)),
      cell: (row) => (
        <RequestsLink filter={ofGroup(key, { value: valueIn(row) })} time={isoSpan(span)}>
          {valueIn(row) === "" ? <em>empty</em> : String(valueIn(row))}
        </RequestsLink>
      ),
    },
    ...metricColumns(whole),
  ];
}
