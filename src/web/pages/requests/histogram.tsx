import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, memo, type PointerEvent, useState } from "react";
import { post } from "../../api.ts";
import { and } from "../../filter/tree.ts";
import { within } from "../../metrics/filter.ts";
import { BUCKET_MS, type Bucket, bucketOf, bucketTimes, isoSpan, type Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { formatCount, formatCounted, formatTime } from "../../parts/format.ts";
import type { TimeSearch } from "../../parts/time-range.ts";
import type { RequestsQuestion } from "./query.ts";

interface Bar {
  readonly time: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
}

interface HistogramProps {
  readonly search: TimeSearch;
  readonly question: RequestsQuestion;
  readonly live: boolean;
  readonly onSelect: (span: { readonly from: string; readonly to: string }) => void;
}

const LIVE_MS = 10_000;

/** Requests and failures over time. Dragging over a part of it selects that time. Not rendered again for each page of rows. */
export const Histogram = memo(({ search, question, live, onSelect }: HistogramProps) => {
  const span = useSpan(search, "all");
  const bucket = span === undefined ? "hour" : bucketOf(span);
  const body = span && {
    filter: and(within(span), question.ownFilter),
    time_bucket: bucket,
    latencies: false,
  };
  const { data } = useQuery({
    queryKey: ["requests-histogram", body],
    queryFn: ({ signal }) => post<readonly Bar[]>("/v1/metrics/query", body, signal),
    enabled: body !== undefined,
    staleTime: LIVE_MS,
    refetchInterval: live ? LIVE_MS : false,
    placeholderData: keepPreviousData,
  });
  if (span === undefined || data === undefined) return <div className="histogram" aria-hidden="true" />;
  return <Bars key={bucket} bars={barsOf(data, span, bucket)} span={span} bucket={bucket} onSelect={onSelect} />;
});

/** A bar for every bucket of the span. */
export function barsOf(rows: readonly Bar[], span: Span, bucket: Bucket): readonly Bar[] {
  const byTime = new Map(rows.map((row) => [Date.parse(row.time), row]));
  return bucketTimes(span, bucket).map(
    (time) => byTime.get(time) ?? { time: new Date(time).toISOString(), requests: 0, errors: 0, refused: 0 },
  );
}

/** The time between two bars, in either order, within the span. */
export function chosenSpan(bars: readonly Bar[], [a, b]: readonly [number, number], span: Span, bucket: Bucket): Span {
  const first = Date.parse(bars[Math.min(a, b)]!.time);
  const last = Date.parse(bars[Math.max(a, b)]!.time);
  return { from: Math.max(first, span.from), to: Math.min(last + BUCKET_MS[bucket], span.to) };
}

interface BarsProps extends Pick<HistogramProps, "onSelect"> {
  readonly bars: readonly Bar[];
  readonly span: Span;
  readonly bucket: Bucket;
}

function Bars({ bars, span, bucket, onSelect }: BarsProps) {
  const [at, setAt] = useState<number>();
  /** The bar where the current selection began. */
  const [start, setStart] = useState<number>();
  const highest = Math.max(1, ...bars.map(({ requests }) => requests));
  const choose = (from: number, to: number) => {
    setStart(undefined);
    onSelect(isoSpan(chosenSpan(bars, [from, to], span, bucket)));
  };
  const barAt = (event: PointerEvent<Element>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * bars.length);
    return Math.min(bars.length - 1, Math.max(0, place));
  };
  const onKey = (event: KeyboardEvent) => {
    const last = bars.length - 1;
    const from = at ?? last;
    const to: Readonly<Record<string, number>> = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last };
    if (Object.hasOwn(to, event.key)) {
      event.preventDefault();
      event.stopPropagation(); // elsewhere Home and End move through the rows
      setStart(event.shiftKey ? (start ?? from) : undefined);
      setAt(at === undefined ? from : Math.min(last, Math.max(0, to[event.key]!)));
    } else if (event.key === "Enter" && at !== undefined) choose(start ?? at, at);
    else if (event.key === "Escape") {
      setStart(undefined);
      setAt(undefined);
    }
  };
  const isChosen = (bar: number) =>
    start !== undefined && at !== undefined && bar >= Math.min(start, at) && bar <= Math.max(start, at);
  const total = bars.reduce((sum, { requests }) => sum + requests, 0);
  const spoken = at === undefined ? formatCounted(total, "request") : barText(bars[at]!);
  return (
    <div className="histogram">
      <div
        className="histogram-bars"
        role="slider"
        tabIndex={0}
        aria-label="Requests over time; Shift and arrows choose a time, Enter shows it"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={spoken}
        onKeyDown={onKey}
        onBlur={() => setAt(undefined)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setStart(barAt(event));
          setAt(barAt(event));
        }}
        onPointerMove={(event) => setAt(barAt(event))}
        onPointerLeave={() => start === undefined && setAt(undefined)}
        onPointerUp={(event) => start !== undefined && choose(start, barAt(event))}
        onPointerCancel={() => setStart(undefined)}
      >
        <svg viewBox={`0 0 ${bars.length} 100`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map(({ time, requests, errors }, bar) => (
            <g key={time} className={isChosen(bar) || bar === at ? "histogram-on" : undefined}>
              <rect className="histogram-area" x={bar} y={0} width={1} height={100} />
              <rect className="histogram-all" x={bar + 0.08} {...heightOf(requests / highest)} width={0.84} />
              <rect className="histogram-bad" x={bar + 0.08} {...heightOf(errors / highest)} width={0.84} />
            </g>
          ))}
        </svg>
      </div>
      <p className="histogram-text" aria-hidden="true">
        <span>{formatTime(bars[0]?.time)}</span>
        <span>{at === undefined ? "" : spoken}</span>
        <span>{formatTime(new Date(span.to).toISOString())}</span>
      </p>
    </div>
  );
}

/** A small value is not drawn as nothing. */
const heightOf = (part: number) => {
  const height = part === 0 ? 0 : Math.max(2, part * 100);
  return { y: 100 - height, height };
};

function barText({ time, requests, errors, refused }: Bar): string {
  const parts = [formatCounted(requests, "request"), formatCounted(errors, "error")];
  return `${formatTime(time)}: ${[...parts, ...(refused > 0 ? [`${formatCount(refused)} refused`] : [])].join(", ")}`;
}
