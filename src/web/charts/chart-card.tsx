import { type ReactNode, useId, useState } from "react";
import type { Span } from "../metrics/range.ts";
import { Loading } from "../parts/states.tsx";
import { colourClass } from "./palette.ts";
import { bucketLabel, colourOf, type Plotted } from "./plot.ts";
import { TimeChart } from "./time-chart.tsx";

interface ChartCardProps {
  readonly title: string;
  /** Beside the title: the metric over the complete span. */
  readonly figure?: ReactNode;
  readonly plotted: Plotted | undefined;
  readonly onOpen?: ((at: number) => void) | undefined;
  readonly onZoom?: ((span: Span) => void) | undefined;
  /** Opens the requests of one layer. */
  readonly onOpenSeries?: ((at: number) => void) | undefined;
  readonly note?: ReactNode;
}

/** A chart with its legend, and the same data as a table. */
export function ChartCard({ title, figure, plotted, onOpen, onZoom, onOpenSeries, note }: ChartCardProps) {
  const [isTable, setTable] = useState(false);
  const id = useId();
  return (
    <section className="panel chart-card" aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {figure === undefined ? null : <span className="chart-figure">{figure}</span>}
        <button type="button" className="quiet small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table<span className="unseen"> of {title}</span>
        </button>
      </header>
      {plotted === undefined ? (
        <div className="chart-wait">
          <Loading rows={5} label={`Loading ${title}`} />
        </div>
      ) : (
        <ChartContent {...{ title, plotted, isTable, onOpen, onZoom, onOpenSeries }} />
      )}
      {note === undefined ? null : <p className="chart-note">{note}</p>}
    </section>
  );
}

interface ChartContentProps extends Pick<ChartCardProps, "title" | "onOpen" | "onZoom" | "onOpenSeries"> {
  readonly plotted: Plotted;
  readonly isTable: boolean;
  /** Total height in pixels; automatic by default. */
  readonly height?: number;
}

/** Height of a legend below a chart. */
const LEGEND_PX = 38;

/** A chart and its legend, or its numbers. */
export function ChartContent({ title, plotted, isTable, height, onOpen, onZoom, onOpenSeries }: ChartContentProps) {
  if (isTable) return <ChartTable title={title} plotted={plotted} onOpen={onOpen} />;
  return (
    <>
      <TimeChart
        label={title}
        {...plotted}
        onOpen={onOpen}
        onZoom={onZoom}
        height={height === undefined ? undefined : Math.max(60, height - LEGEND_PX)}
      />
      <Legend title={title} plotted={plotted} onOpen={onOpenSeries} />
    </>
  );
}

function Legend({
  title,
  plotted,
  onOpen,
}: {
  readonly title: string;
  readonly plotted: Plotted;
  readonly onOpen?: ((at: number) => void) | undefined;
}) {
  const { series, lines = [] } = plotted;
  const [only] = series;
  // The title already says it.
  if (series.length === 1 && only?.name === title && lines.length === 0) return <p className="legend" />;
  return (
    <ul className="legend">
      {series.map(({ name, group }, at) => (
        <li key={at}>
          <span className={`swatch ${colourClass(colourOf(plotted, at))}`} />
          {group === undefined || onOpen === undefined ? (
            <span className="legend-name">{name}</span>
          ) : (
            <button type="button" className="legend-name link" onClick={() => onOpen(at)} title="See its requests">
              {name}
            </button>
          )}
        </li>
      ))}
      {lines.map(({ name, tone }) => (
        <li key={name}>
          <span className={`swatch tone-${tone}`} />
          <span className="legend-name">{name}</span>
        </li>
      ))}
    </ul>
  );
}

interface ChartTableProps {
  readonly title: string;
  readonly plotted: Plotted;
  readonly onOpen?: ((at: number) => void) | undefined;
}

function ChartTable({ title, plotted, onOpen }: ChartTableProps) {
  const { times, bucket, series, format } = plotted;
  const newestFirst = times.map((time, at) => ({ time, at })).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="chart-table" tabIndex={0} aria-label={`${title}, as a table`}>
      <table className="table" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{bucket === "day" ? "Day (UTC)" : "Time"}</th>
            {series.map(({ name }, layer) => (
              <th scope="col" className="end" key={layer}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newestFirst.map(({ time, at }) => (
            <tr key={time}>
              <th scope="row">
                {onOpen === undefined ? (
                  bucketLabel(time, bucket)
                ) : (
                  <button type="button" className="link" onClick={() => onOpen(at)}>
                    {bucketLabel(time, bucket)}
                    <span className="unseen">: see its requests</span>
                  </button>
                )}
              </th>
              {series.map(({ values }, layer) => (
                <td className="end" key={layer}>
                  {format(values[at] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
