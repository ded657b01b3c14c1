import { formatPercent } from "../../metrics/format.ts";
import { change, isComparable, type MetricsRow } from "../../metrics/series.ts";
import { formatCount, formatDuration, formatMoney } from "../../parts/format.ts";

/** Smaller changes are not mentioned. */
const WORTH_SAYING = 0.05;

type Figure = readonly [name: string, of: (row: MetricsRow) => number | null, format: (value: number | null) => string];

const FIGURES: readonly Figure[] = [
  ["Requests", ({ requests }) => requests, formatCount],
  ["Cost", ({ cost }) => cost, formatMoney],
  ["Tokens", ({ total_tokens }) => total_tokens, formatCount],
  ["The median latency", ({ latency_p50 }) => latency_p50, formatDuration],
  ["The p95 latency", ({ latency_p95 }) => latency_p95, formatDuration],
  ["The error rate", ({ error_rate }) => error_rate, formatPercent],
  ["Refused requests", ({ refused }) => refused, formatCount],
];

/** Changes against the span of the same length before, one sentence each. */
export function changesInWords(now: MetricsRow, before: MetricsRow): string[] {
  if (!isComparable(now, before)) {
    const count = before.requests === 0 ? "no" : `only ${formatCount(before.requests)}`;
    return [
      `There ${before.requests === 1 ? "was" : "were"} ${count} request${before.requests === 1 ? "" : "s"} before: too few to compare with.`,
    ];
  }
  const said = FIGURES.flatMap(([name, of, format]) => {
    const [to, from] = [of(now), of(before)];
    const by = change(to, from);
    if (to === null || from === null || to === from) return [];
    if (by !== null && Math.abs(by) < WORTH_SAYING) return [];
    const howMuch = by === null || by === -1 || format === formatPercent ? "" : ` by ${formatPercent(Math.abs(by))}`;
    return [`${name} ${to > from ? "rose" : "fell"}${howMuch}, from ${format(from)} to ${format(to)}.`];
  });
  return said.length > 0 ? said : ["Nothing changed by 5% or more."];
}
