import { useQuery } from "@tanstack/react-query";
import { useId, useMemo } from "react";
import { and, type FilterTree, leaf } from "../../filter/tree.ts";
import { within } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { metricsQuery } from "../../metrics/queries.ts";
import { isoSpan, type Span } from "../../metrics/range.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { Meter } from "../../parts/meter.tsx";
import { countColumn } from "../../parts/value-columns.tsx";
import { formatValue } from "../dashboards/metrics.ts";
import { type Bin, binsOf } from "./bins.ts";

/** The API's maximum for one response. */
const VALUES_MAX = 10_000;

interface DistributionProps {
  readonly score: string;
  readonly span: Span;
  /** The requests that have the score. */
  readonly filter: FilterTree;
}

/** How many requests have each value of a score. */
export function Distribution({ score, span, filter }: DistributionProps) {
  const id = useId();
  const key = `score:${score}` as const;
  const scope = and(filter, within(span));
  const { data, error, refetch } = useQuery(
    metricsQuery(
      { filter: scope, group_by: [key], limit: VALUES_MAX, latencies: false },
      JSON.stringify(["distribution", score, filter, span.to - span.from]),
    ),
  );
  const bins = useMemo(
    () => data && binsOf(data.map((row) => ({ value: Number(row[key]), requests: row.requests }))),
    [data, key],
  );
  const columns = useMemo(
    () => columnsOf(score, isoSpan(span), filter, bins ?? []),
    [score, span.from, span.to, filter, bins],
  );
  return (
    <section className="panel board-panel" data-kind="table" aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>Distribution</h2>
        {data?.length === VALUES_MAX ? (
          <span className="muted">of {formatCount(VALUES_MAX)} different values</span>
        ) : null}
      </header>
      <div className="board-content">
        <ListStates rows={bins} error={error} onRetry={() => void refetch()} empty="No requests in this time">
          {(rows) => (
            <DataTable label="Distribution" rows={rows} columns={columns} rowKey={({ from }) => String(from)} />
          )}
        </ListStates>
      </div>
    </section>
  );
}

function columnsOf(
  score: string,
  time: { readonly from: string; readonly to: string },
  filter: FilterTree,
  bins: readonly Bin[],
): readonly Column<Bin>[] {
  const whole = bins.reduce((sum, { requests }) => sum + requests, 0);
  const shown = (value: number) => formatValue(`score:${score}`, value);
  return [
    {
      id: "value",
      header: "Value",
      value: ({ from }) => from,
      cell: (bin) => (
        <RequestsLink filter={and(filter, ofBin(score, bin))} time={time}>
          {bin.from === bin.to ? shown(bin.from) : `${shown(bin.from)} to ${shown(bin.to)}`}
        </RequestsLink>
      ),
    },
    countColumn("requests", "Requests", ({ requests }) => requests),
    {
      id: "share",
      header: "Share",
      cell: ({ requests }) => (
        <Meter
          label="Share of the requests"
          value={requests}
          max={whole}
          text={formatPercent(whole === 0 ? null : requests / whole)}
        />
      ),
    },
  ];
}

const ofBin = (score: string, { from, to, isClosed }: Bin): FilterTree =>
  leaf("scores", {
    [score]: from === to ? { equals: from } : { gte: from, ...(isClosed ? { lte: to } : { lt: to }) },
  });
