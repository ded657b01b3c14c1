import uPlot from "uplot";
import type { Bucket } from "../metrics/range.ts";
import { BUCKET_MS, type Span } from "../metrics/range.ts";
import { type Series, stacked } from "../metrics/series.ts";
import { LOCALE } from "../parts/format.ts";
import { COLOURS, type Palette, type Tone } from "./palette.ts";

/** What one chart shows. */
export interface Plotted {
  readonly times: readonly number[];
  readonly bucket: Bucket;
  readonly series: readonly Series[];
  /** Bars are stacked, lines are not. */
  readonly kind: "bars" | "lines";
  readonly format: (value: number | null) => string;
  /** Set for values that are whole numbers. */
  readonly isWhole?: true;
  /** Values at which a horizontal line is drawn, with their meaning. */
  readonly lines?: readonly { readonly value: number; readonly tone: Tone; readonly name: string }[];
  /** The colour index of each layer, from 0; in order by default. */
  readonly colours?: readonly number[];
}

/** A shorter movement is a click. */
const DRAG_PX_MIN = 6;
/** Minimum width of the value axis, and of a character of its labels. */
const AXIS_PX_MIN = 62;
const LABEL_CHAR_PX = 6.6;

/** The colour index of a layer. */
export const colourOf = ({ colours }: Pick<Plotted, "colours">, at: number): number =>
  Math.min(colours?.[at] ?? at, COLOURS - 1);

/** Days are in UTC, as the API aggregates them; shorter buckets use local time. */
function clockOf(bucket: Bucket): (seconds: number) => Date {
  return (seconds) =>
    bucket === "day" ? uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC") : new Date(seconds * 1_000);
}

/** In uPlot's form: seconds, then the layers in drawing order; for bars the highest layer comes first. */
export function plotData({ times, series, kind }: Plotted): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1_000);
  const values = kind === "bars" ? stacked(series).reverse() : series.map((each) => [...each.values]);
  return [seconds, ...values] as uPlot.AlignedData;
}

interface PlotEvents {
  /** The bucket under the pointer. */
  readonly onCursor: (at: number | null) => void;
  /** The selected span, from the start of a bucket to the end of one. */
  readonly onSelect: (span: Span) => void;
}

export function plotOptions(plotted: Plotted, palette: Palette, { onCursor, onSelect }: PlotEvents): uPlot.Options {
  const { kind, series, bucket, times, format, isWhole = false } = plotted;
  const length = BUCKET_MS[bucket] / 1_000;
  const layers = series.map((_, at): uPlot.Series => {
    const colour = palette.series[colourOf(plotted, at)]!;
    if (kind === "lines")
      return {
        stroke: colour,
        width: 1.6,
        points: { show: true, size: 6, fill: colour, filter: lonely },
        spanGaps: false,
      };
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
      // A bar covers its bucket from start to end.
      ...(kind === "bars" ? { dataIdx: (self, _series, _closest, x) => bucketAt(self, x, times) } : {}),
    },
    scales: {
      x: { range: [first, Math.max(last, first + 1)] },
      y: { range: (_self, _min, max) => [0, gridTop(highest(plotted, max), isWhole)] },
    },
    series: [{}, ...(kind === "bars" ? layers.reverse() : layers)],
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        // Keeps clear of the lowest label of the other axis.
        gap: 9,
        size: 32,
        values: (_self, splits) => timeLabels(splits, bucket, times.at(-1) ?? 0),
      },
      {
        ...axis,
        grid: { stroke: palette.line, width: 1 },
        size: axisWidth,
        splits: (_self, _axis, _min, top) => gridLines(top, isWhole),
        values: (_self, splits) => splits.map((split) => format(split)),
      },
    ],
    hooks: {
      draw: [(self) => drawLines(self, plotted, palette)],
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

/** A line that is far above all values would flatten the chart, and is left out. */
const LINE_TIMES_MAX = 2;

/** The highest value that must fit: of the values, and of lines that are not far above them. */
function highest({ lines = [] }: Plotted, max: number | null): number | null {
  const near = lines.map(({ value }) => value).filter((value) => value <= (max ?? 0) * LINE_TIMES_MAX);
  return near.length === 0 ? max : Math.max(max ?? 0, ...near);
}

function drawLines(self: uPlot, { lines = [] }: Plotted, palette: Palette): void {
  const { ctx, bbox } = self;
  ctx.save();
  ctx.setLineDash([6, 4]);
  ctx.lineWidth = Math.max(1, devicePixelRatio);
  for (const { value, tone } of lines) {
    const y = Math.round(self.valToPos(value, "y", true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = palette[tone];
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

function bucketAt(_self: uPlot, seconds: number, times: readonly number[]): number {
  let at = 0;
  while (at + 1 < times.length && times[at + 1]! <= seconds * 1_000) at++;
  return at;
}

/** As wide as the longest label: amounts of money may have many digits. */
function axisWidth(_self: uPlot, labels: readonly string[] | null): number {
  const chars = Math.max(0, ...(labels ?? []).map((label) => label.length));
  return Math.max(AXIS_PX_MIN, chars * LABEL_CHAR_PX + 14);
}

/** Points without a neighbour: a line would not show them. */
export function lonely(self: Pick<uPlot, "data">, series: number): number[] {
  const values = self.data[series] ?? [];
  const isThere = (at: number) => (values[at] ?? null) !== null;
  return [...values.keys()].filter((at) => isThere(at) && !isThere(at - 1) && !isThere(at + 1));
}

/** Grid lines above the lowest, at most. */
const LINES_MAX = 4;

/** The distance between grid lines: 1, 2 or 5 times a power of ten. */
function gridStep(max: number, isWhole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(max / LINES_MAX));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => max / each <= LINES_MAX + 1e-9) ?? max;
  return isWhole ? Math.max(1, step) : step;
}

/** The grid line above the highest value; without values, a default. */
export function gridTop(max: number | null, isWhole: boolean): number {
  if (max === null || max <= 0) return 1;
  const step = gridStep(max, isWhole);
  return Math.max(1, Math.ceil(max / step - 1e-9)) * step;
}

/** The grid lines from 0 to the top, which is one of them. */
export function gridLines(top: number, isWhole: boolean): number[] {
  const step = gridStep(top, isWhole);
  return Array.from({ length: Math.round(top / step) + 1 }, (_, line) => line * step);
}

/** @param lastTime - the last bucket: there are no labels after it. */
export function timeLabels(splits: readonly number[], bucket: Bucket, lastTime: number): string[] {
  const day = new Intl.DateTimeFormat(LOCALE, {
    month: "short",
    day: "numeric",
    ...(bucket === "day" ? { timeZone: "UTC" } : {}),
  });
  const hour = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  // The reader's periods are in local time: the chart says once that its days are not.
  const first = splits.find((seconds) => seconds % 86_400 === 0);
  return splits.map((seconds) => {
    if (seconds * 1_000 > lastTime) return "";
    const date = new Date(seconds * 1_000);
    if (bucket === "day" && seconds % 86_400 !== 0) return "";
    if (bucket === "day") return seconds === first ? `${day.format(date)} UTC` : day.format(date);
    return date.getHours() === 0 && date.getMinutes() === 0 ? day.format(date) : hour.format(date);
  });
}

/** A bucket's label, for tables and tooltips. */
export function bucketLabel(time: number, bucket: Bucket): string {
  const zone = bucket === "day" ? { timeZone: "UTC" } : {};
  const clock = bucket === "day" ? {} : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" as const };
  const text = new Intl.DateTimeFormat(LOCALE, {
    weekday: "short",
    month: "short",
    day: "numeric",
    ...(clock as Intl.DateTimeFormatOptions),
    ...zone,
  }).format(new Date(time));
  return bucket === "day" ? `${text} (UTC)` : text;
}
