import type { TimeBucket } from "../../filter/group-by.ts";

export type Bucket = TimeBucket;

/** The API's buckets, finest first. */
export const BUCKET_MS: Readonly<Record<Bucket, number>> = {
  minute: 60_000,
  "5m": 300_000,
  hour: 3_600_000,
  "6h": 21_600_000,
  day: 86_400_000,
};

/** A span of time; `to` is exclusive. Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span in the form of addresses and filters. */
export const isoSpan = ({ from, to }: Span) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

/** Longer series use coarser buckets: bars stay wide enough to see and to point at. */
const POINTS_MAX = 100;

/** @param first - when the oldest record was made, for a range without a start. */
export function spanOf(
  moments: { readonly from: string | undefined; readonly to: string | undefined },
  first: number | undefined,
  now: number,
): Span {
  const to = moments.to === undefined ? now : Date.parse(moments.to);
  const from = moments.from === undefined ? (first ?? to) : Date.parse(moments.from);
  // If the ends are reversed, the span is empty and not negative.
  return { from: Math.min(from, to - 1), to };
}

/** The finest bucket with no more points than a chart can show; days for longer spans. */
export function bucketOf({ from, to }: Span): Bucket {
  const fine = (Object.keys(BUCKET_MS) as Bucket[]).find((bucket) => (to - from) / BUCKET_MS[bucket] <= POINTS_MAX);
  return fine ?? "day";
}

/** The start of every bucket that the span touches, as the API names them. */
export function bucketTimes({ from, to }: Span, bucket: Bucket): number[] {
  const length = BUCKET_MS[bucket];
  const times: number[] = [];
  for (let time = from - mod(from, length); time < to; time += length) times.push(time);
  return times;
}

/** The span of the same length before this one. */
export function spanBefore({ from, to }: Span): Span {
  return { from: from - (to - from), to: from };
}

/** The part of a span that one bucket covers. */
export function spanOfBucket(time: number, bucket: Bucket): Span {
  return { from: time, to: time + BUCKET_MS[bucket] };
}

const mod = (value: number, length: number) => ((value % length) + length) % length;
