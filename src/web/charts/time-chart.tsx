import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import type { Span } from "../metrics/range.ts";
import { colourClass, usePalette } from "./palette.ts";
import { bucketLabel, colourOf, type Plotted, plotData, plotOptions } from "./plot.ts";

const HEIGHT_PX = 190;
/** Between the bucket under the pointer and its tooltip. */
const TIP_GAP_PX = 14;

interface TimeChartProps extends Plotted {
  readonly label: string;
  /** Opens the requests of a bucket. */
  readonly onOpen?: ((at: number) => void) | undefined;
  /** Pixels. */
  readonly height?: number | undefined;
  /** Zooms into a part of the time. */
  readonly onZoom?: ((span: Span) => void) | undefined;
}

/** A chart over time. For the keyboard it is one control: arrows move from bucket to bucket, each is announced, and Enter opens its requests. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one control: its plot, its keys and its tooltip share state
export function TimeChart({ label, onOpen, onZoom, height = HEIGHT_PX, ...plotted }: TimeChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number | null>(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const palette = usePalette();
  const { times, bucket, series, kind, format, lines = [] } = plotted;
  const named = [...series, ...lines].map(({ name }) => name).join("\n");
  const shape = `${kind} ${bucket} ${named} ${times[0]} ${times.length} ${height}`;

  // Another structure or palette needs another plot; new values alone do not.
  useEffect(() => {
    const parent = container.current!;
    const events = { onCursor: setAt, onSelect: (span: Span) => zoom.current?.(span) };
    const made = new uPlot(plotOptions(plotted, palette, events), plotData(plotted), parent);
    plot.current = made;
    const fit = () => {
      const width = parent.clientWidth;
      if (width > 0) made.setSize({ width, height });
    };
    fit();
    const watch = new ResizeObserver(fit);
    watch.observe(parent);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [shape, palette]);

  useEffect(() => plot.current?.setData(plotData(plotted)), [series]);

  const move = (to: number) => {
    const next = Math.max(0, Math.min(times.length - 1, to));
    const made = plot.current;
    made?.setCursor({ left: made.valToPos(times[next]! / 1_000, "x") + 1, top: 1 });
    setAt(next);
  };
  const onKey = (event: KeyboardEvent) => {
    const from = at ?? times.length - 1;
    const to: Readonly<Record<string, number>> = {
      ArrowLeft: from - 1,
      ArrowRight: at === null ? from : from + 1,
      Home: 0,
      End: times.length - 1,
      PageUp: from - 10,
      PageDown: from + 10,
    };
    if (event.key in to) {
      event.preventDefault();
      move(to[event.key]!);
    } else if (event.key === "Enter" && at !== null) onOpen?.(at);
    else if (event.key === "Escape") setAt(null);
  };
  const isLate = at !== null && at > times.length / 2;
  const spoken = at === null ? "no time chosen" : spokenOf(plotted, at);
  return (
    <div className="chart">
      <div
        ref={container}
        style={{ height }}
        className={onOpen === undefined ? "chart-area" : "chart-area chart-opens"}
        role="slider"
        tabIndex={0}
        aria-label={onOpen === undefined ? label : `${label}; Enter opens the requests of the time chosen`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={spoken}
        onKeyDown={onKey}
        onBlur={() => setAt(null)}
        onClick={() => at !== null && onOpen?.(at)}
      />
      {at === null ? null : (
        <div className="chart-tip" style={tipPlace(plot.current, (times[at] ?? 0) / 1_000, isLate)} aria-hidden="true">
          <p className="chart-tip-time">{bucketLabel(times[at] ?? 0, bucket)}</p>
          <ul>
            {series.map(({ name, values }, layer) =>
              kind === "bars" && (values[at] ?? 0) === 0 && series.length > 3 ? null : (
                <li key={layer}>
                  <span className={`swatch ${colourClass(colourOf(plotted, layer))}`} />
                  <span className="chart-tip-name">{name}</span>
                  <span className="number">{format(values[at] ?? null)}</span>
                </li>
              ),
            )}
          </ul>
          {onOpen === undefined ? null : <p className="chart-tip-hint">Click to see the requests</p>}
          {onZoom === undefined ? null : <p className="chart-tip-hint">Drag to look closer</p>}
        </div>
      )}
    </div>
  );
}

/** Beside the bucket under the pointer: on its left in the later half, on its right in the earlier one. */
function tipPlace(plot: uPlot | undefined, seconds: number, isLate: boolean) {
  if (plot === undefined) return {};
  const left = plot.over.offsetLeft + plot.valToPos(seconds, "x");
  return isLate ? { right: plot.root.clientWidth - left + TIP_GAP_PX } : { left: left + TIP_GAP_PX };
}

function spokenOf({ times, bucket, series, format }: Plotted, at: number): string {
  const parts = series.map(({ name, values }) => `${name} ${format(values[at] ?? null)}`);
  return `${bucketLabel(times[at] ?? 0, bucket)}: ${parts.join(", ")}`;
}
