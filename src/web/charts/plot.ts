import uPlot from "uplot";
import type { Bucket } from "../metrics/range.ts";
import { BUCKET_MS, type Span } from "../metrics/range.ts";
import { type Series, stacked } from "../metrics/series.ts";
import { COLOURS, type Palette } from "./palette.ts";

/** What one chart shows. */
export interface Plotted {
  readonly times: readonly number[];
  readonly bucket: Bucket;
  readonly series: readonly Series[];
  /** Bars stand on each other, lines beside each other. */
  readonly kind: "bars" | "lines";
  readonly format: (value: number | null) => string;
  /** There is nothing between 1 and 2 of what is shown. */
  readonly isWhole?: true;
  /** Which of the colours each layer has, from 0; in their order unless said. */
  readonly colours?: readonly number[];
}

/** What may lie between two lines of the grid, where there are no fractions. */
const WHOLE_STEPS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** What moves less is a click. */
const DRAG_PX_MIN = 6;
/** The side of a chart, and what a character of its labels takes. */
const AXIS_PX_MIN = 62;
const LABEL_CHAR_PX = 6.6;

/** The number of a layer's colour. */
export const colourOf = ({ colours }: Pick<Plotted, "colours">, at: number): number =>
  Math.min(colours?.[at] ?? at, COLOURS - 1);

/** Days are those of UTC, as the API adds them up; shorter buckets are read by the local clock. */
function clockOf(bucket: Bucket): (seconds: number) => Date {
  return (seconds) =>
    bucket === "day" ? uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC") : new Date(seconds * 1_000);
}

/** As `uPlot` wants it: seconds, then what is drawn first, which for bars is the highest layer. */
export function plotData({ times, series, kind }: Plotted): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1_000);
  const values = kind === "bars" ? stacked(series).reverse() : series.map((each) => [...each.values]);
  return [seconds, ...values] as uPlot.AlignedData;
}

interface PlotEvents {
  /** The bucket that is pointed at. */
  readonly onCursor: (at: number | null) => void;
  /** The span that was drawn over, from the start of a bucket to the end of one. */
  readonly onSelect: (span: Span) => void;
}

export function plotOptions(plotted: Plotted, palette: Palette, { onCursor, onSelect }: PlotEvents): uPlot.Options {
  const { kind, series, bucket, times, format, isWhole = false } = plotted;
  const length = BUCKET_MS[bucket] / 1_000;
  const layers = series.map((_, at): uPlot.Series => {
    const colour = palette.series[colourOf(plotted, at)]!;
    if (kind === "lines") return { stroke: colour, width: 1.6, points: { show: times.length < 3 }, spanGaps: false };
    const bars = uPlot.paths.bars!({ size: [0.86, 48], align: 1 });
    return { stroke: colour, fill: colour, width: 0, paths: bars, points: { show: false } };
  });
  const axis = { stroke: palette.muted, font: "11px system-ui, sans-serif", ticks: { show: false } };
  const first = (times[0] ?? 0) / 1_000;
  const last = (times.at(-1) ?? 0) / 1_000 + (kind === "bars" ? length : 0);
  return {
    width: 300,
    height: 180,
    padding: [10, 22, 0, 0],
    legend: { show: false },
    tzDate: clockOf(bucket),
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: DRAG_PX_MIN },
      points: { show: kind === "lines" },
      // The pointer is over a bar from its start to its end.
      ...(kind === "bars" ? { dataIdx: (self, _series, _closest, x) => bucketAt(self, x, times) } : {}),
    },
    scales: { x: { range: [first, Math.max(last, first + 1)] }, y: { range: (_self, _min, max) => [0, niceMax(max)] } },
    series: [{}, ...(kind === "bars" ? layers.reverse() : layers)],
    axes: [
      { ...axis, grid: { show: false }, space: 70, size: 26, values: (self, splits) => labels(self, splits, bucket) },
      {
        ...axis,
        grid: { stroke: palette.line, width: 1 },
        size: axisWidth,
        space: 34,
        ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
        values: (_self, splits) => splits.map((split) => format(split)),
      },
    ],
    hooks: {
      setCursor: [(self) => onCursor(self.cursor.left! < 0 ? null : (self.cursor.idx ?? null))],
      setSelect: [
        (self) => {
          const { left, width } = self.select;
          if (width === 0) return;
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          const timeAt = (x: number) => times[bucketAt(self, self.posToVal(x, "x"), times)] ?? 0;
          onSelect({ from: timeAt(left), to: timeAt(left + width) + BUCKET_MS[bucket] });
        },
      ],
    },
  };
}

function bucketAt(_self: uPlot, seconds: number, times: readonly number[]): number {
  let at = 0;
  while (at + 1 < times.length && times[at + 1]! <= seconds * 1_000) at++;
  return at;
}

/** As wide as the longest label: sums of money may have many digits. */
function axisWidth(_self: uPlot, labels: readonly string[] | null): number {
  const chars = Math.max(0, ...(labels ?? []).map((label) => label.length));
  return Math.max(AXIS_PX_MIN, chars * LABEL_CHAR_PX + 14);
}

/** A little air above the highest value; over nothing, room for one. */
function niceMax(max: number | null): number {
  return max === null || max <= 0 ? 1 : max * 1.06;
}

function labels(_self: uPlot, splits: number[], bucket: Bucket): string[] {
  const day = new Intl.DateTimeFormat(undefined, {
    month: "short",
    day: "numeric",
    ...(bucket === "day" ? { timeZone: "UTC" } : {}),
  });
  const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return splits.map((seconds) => {
    const date = new Date(seconds * 1_000);
    if (bucket === "day") return seconds % 86_400 === 0 ? day.format(date) : "";
    return date.getHours() === 0 && date.getMinutes() === 0 ? day.format(date) : hour.format(date);
  });
}

/** A bucket's name, for tables and for who points at it. */
export function bucketLabel(time: number, bucket: Bucket): string {
  const zone = bucket === "day" ? { timeZone: "UTC" } : {};
  const clock = bucket === "day" ? {} : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" as const };
  const text = new Intl.DateTimeFormat(undefined, {
    weekday: "short",
    month: "short",
    day: "numeric",
    ...(clock as Intl.DateTimeFormatOptions),
    ...zone,
  }).format(new Date(time));
  return bucket === "day" ? `${text} (UTC)` : text;
}
