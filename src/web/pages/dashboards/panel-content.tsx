import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { ChartContent } from "../../charts/chart-card.tsx";
import { bucketLabel, type Plotted } from "../../charts/plot.ts";
import { and, type FilterTree } from "../../filter/tree.ts";
import { ofGroup } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { groupName, RequestsLink } from "../../metrics/links.tsx";
import { isoSpan, type Span, spanOfBucket } from "../../metrics/range.ts";
import { change, type Group, isComparable, type MetricsRow } from "../../metrics/series.ts";
import { useOpenRequests } from "../../metrics/use-open-requests.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { filterOf, GROUP, nameOf } from "./groups.ts";
import { HeatMap } from "./heat-map.tsx";
import { axisFormat, formatValue, isWhole, labelOf, metricOf, thresholdText, toneOf } from "./metrics.ts";
import type { Panel } from "./shapes.ts";
import { type PanelQuestion, useGroups, useNumber, usePairs, useSeries } from "./use-panel.ts";

interface ContentProps extends PanelQuestion {
  /** Available pixels. */
  readonly height: number;
  /** Whether a chart shows its numbers as a table. */
  readonly isTable: boolean;
  readonly onZoom: (span: Span) => void;
}

/** The content of a panel. */
export function PanelContent(props: ContentProps) {
  const { kind, split_by } = props.panel;
  if (kind === "number") return <NumberContent {...props} />;
  if (kind === "table") return <TableContent {...props} />;
  if (kind === "heatmap") return split_by.length === 2 ? <PairsContent {...props} /> : <TimesContent {...props} />;
  return <DrawnContent {...props} />;
}

function State({ error, retry }: { readonly error: Error | null; readonly retry: () => void }) {
  return error === null ? <Loading rows={3} /> : <Failed error={error} onRetry={retry} />;
}

const NOTHING = <Empty title="No requests in this time" />;

function NumberContent(props: ContentProps) {
  const { panel, span, filter } = props;
  const { now, before, error, retry } = useNumber(props);
  if (now === undefined) return <State error={error} retry={retry} />;
  const [metric] = panel.metrics as [Panel["metrics"][number]];
  const value = metricOf(now, metric);
  const tone = toneOf(value, panel.thresholds);
  const by = before === undefined || !isComparable(now, before) ? null : change(value, metricOf(before, metric));
  return (
    <p className="board-number">
      <RequestsLink filter={filter} time={isoSpan(span)}>
        <span className={`board-value${tone === undefined ? "" : ` tone-${tone}`}`}>{formatValue(metric, value)}</span>
      </RequestsLink>
      <span className="muted">
        {by === null ? "" : Math.abs(by) < 0.005 ? "unchanged" : `${by > 0 ? "+" : "−"}${formatPercent(Math.abs(by))}`}
        {by === null ? null : <span className="unseen"> compared with the period before</span>}
      </span>
    </p>
  );
}

/** The thresholds as lines of a chart. */
const linesOf = ({ thresholds, metrics }: Panel): NonNullable<Plotted["lines"]> =>
  thresholds.map((each) => ({ value: each.value, tone: each.colour, name: thresholdText(metrics[0]!, each) }));

function DrawnContent(props: ContentProps) {
  const { panel, span, filter, height, isTable, onZoom } = props;
  const { bucket, times, series, error, retry } = useSeries(props);
  const { open, openBucket } = useOpenRequests(span, times, bucket);
  if (series === undefined) return <State error={error} retry={retry} />;
  if (series.length === 0) return NOTHING;
  const [metric] = panel.metrics as [Panel["metrics"][number]];
  return (
    <ChartContent
      title={panel.title}
      isTable={isTable}
      height={height}
      plotted={{
        ...{ times, bucket, series, format: axisFormat(metric), lines: linesOf(panel) },
        kind: panel.kind === "bar" ? "bars" : "lines",
        ...(isWhole(metric) ? { isWhole: true } : {}),
      }}
      onZoom={onZoom}
      onOpen={openBucket(filter)}
      onOpenSeries={(at) => {
        const group = series[at]?.group;
        if (group !== undefined) open(span, and(filter, filterOf(panel.split_by, group)));
      }}
    />
  );
}

function TableContent(props: ContentProps) {
  const { panel, span, filter } = props;
  const { rows, error, retry } = useGroups(props);
  const key = JSON.stringify([panel, span, filter]);
  const columns = useMemo(() => columnsOf(panel, span, filter), [key]);
  if (rows === undefined) return <State error={error} retry={retry} />;
  if (rows.length === 0) return NOTHING;
  return <DataTable label={panel.title} rows={rows} columns={columns} rowKey={(row) => String(row[GROUP])} />;
}

function columnsOf({ split_by, metrics, thresholds }: Panel, span: Span, filter: FilterTree): Column<MetricsRow>[] {
  const groupOf = (row: MetricsRow): Group => ({ value: row[GROUP] ?? null });
  const [first] = metrics;
  return [
    {
      id: "group",
      header: "Group",
      value: (row) => nameOf(split_by, groupOf(row)),
      cell: (row) => (
        <RequestsLink filter={and(filter, filterOf(split_by, groupOf(row)))} time={isoSpan(span)}>
          {nameOf(split_by, groupOf(row))}
        </RequestsLink>
      ),
    },
    ...metrics.map(
      (metric): Column<MetricsRow> => ({
        ...{ id: metric, header: labelOf(metric), align: "end" },
        value: (row) => metricOf(row, metric),
        cell: (row) => {
          const value = metricOf(row, metric);
          const tone = metric === first ? toneOf(value, thresholds) : undefined;
          return (
            <span className={`number${tone === undefined ? "" : ` tone-${tone}`}`}>{formatValue(metric, value)}</span>
          );
        },
      }),
    ),
  ];
}

/** A heat map of groups over time. */
function TimesContent(props: ContentProps) {
  const { panel, span, filter } = props;
  const { bucket, times, series, error, retry } = useSeries(props);
  const { open } = useOpenRequests(span, times, bucket);
  if (series === undefined) return <State error={error} retry={retry} />;
  if (series.length === 0) return NOTHING;
  return (
    <HeatMap
      label={panel.title}
      metric={panel.metrics[0]!}
      thresholds={panel.thresholds}
      rows={series.map(({ name }) => name)}
      columns={times.map((time) => bucketLabel(time, bucket))}
      hasText={false}
      valueAt={(row, column) => series[row]?.values[column] ?? null}
      onOpen={(row, column) => {
        const { from, to } = spanOfBucket(times[column]!, bucket);
        const part = { from: Math.max(from, span.from), to: Math.min(to, span.to) };
        open(part, and(filter, filterOf(panel.split_by, series[row]!.group!)));
      }}
    />
  );
}

/** A heat map of two dimensions. */
function PairsContent(props: ContentProps) {
  const { panel, span, filter } = props;
  const navigate = useNavigate();
  const { rows, down, across, error, retry } = usePairs(props);
  if (rows === undefined) return <State error={error} retry={retry} />;
  if (rows.length === 0) return NOTHING;
  const [metric] = panel.metrics as [Panel["metrics"][number]];
  const [first, second] = panel.split_by as readonly [string, string];
  const pair = (a: unknown, b: unknown) => JSON.stringify([a ?? null, b ?? null]);
  const byPair = new Map(rows.map((row) => [pair(row[first], row[second]), row]));
  return (
    <HeatMap
      label={panel.title}
      metric={metric}
      thresholds={panel.thresholds}
      rows={down.map((group) => groupName(first, group))}
      columns={across.map((group) => groupName(second, group))}
      hasText
      valueAt={(row, column) => {
        const found = byPair.get(pair(down[row]?.value, across[column]?.value));
        return found === undefined ? null : metricOf(found, metric);
      }}
      onOpen={(row, column) => {
        const chosen = and(filter, ofGroup(first, down[row]!), ofGroup(second, across[column]!));
        void navigate({ to: "/requests", search: { ...isoSpan(span), filter: chosen } });
      }}
    />
  );
}
