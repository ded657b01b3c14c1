import type { Column } from "../parts/data-table.tsx";
import { Meter } from "../parts/meter.tsx";
import { costColumn, countColumn, durationColumn, shortCountColumn } from "../parts/value-columns.tsx";
import { formatPercent } from "./format.ts";
import { type MetricsRow, share } from "./series.ts";

/** @param whole - US dollars of which each row shows its share. */
export const metricColumns = (whole: number | null): readonly Column<MetricsRow>[] => [
  costColumn(),
  {
    id: "share",
    header: "Share",
    cell: ({ cost }) => {
      const part = share(cost, whole);
      return <Meter label="Share of the cost" value={part ?? 0} max={1} text={formatPercent(part)} />;
    },
  },
  countColumn("requests", "Requests", ({ requests }) => requests),
  shortCountColumn("tokens", "Tokens", (row) => row.total_tokens),
  {
    id: "errors",
    header: "Error rate",
    align: "end",
    value: ({ error_rate }) => error_rate,
    cell: ({ error_rate }) => <span className="number">{formatPercent(error_rate)}</span>,
  },
  countColumn("refused", "Refused", ({ refused }) => refused),
  durationColumn("p50", "Latency, median", (row) => row.latency_p50),
  durationColumn("p95", "Latency, p95", (row) => row.latency_p95),
];
