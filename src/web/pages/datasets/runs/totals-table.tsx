import { useMemo } from "react";
import { formatPercent } from "../../../metrics/format.ts";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { scoreName } from "../../../parts/score-name.ts";
import { costColumn, countColumn, durationColumn, shortCountColumn } from "../../../parts/value-columns.tsx";
import { Money } from "../../../parts/values.tsx";
import type { RunTotals, RunWithTotals } from "./shapes.ts";

/** One row for the original requests and one for each target. */
export function TotalsTable({ run }: { readonly run: RunWithTotals }) {
  const { totals } = run;
  const names = [...new Set(totals.flatMap(({ scores }) => Object.keys(scores)))].toSorted().join("\n");
  const columns = useMemo(() => columnsOf(names === "" ? [] : names.split("\n")), [names]);
  return <DataTable label="Totals" rows={totals} columns={columns} rowKey={({ target }) => target ?? ""} />;
}

const columnsOf = (scores: readonly string[]): readonly Column<RunTotals>[] => [
  { id: "target", header: "Target", cell: ({ target }) => target ?? <span className="muted">Original requests</span> },
  countColumn("done", "Calls", ({ done }) => done),
  countColumn("errors", "Errors", ({ errors }) => errors),
  costColumn(),
  {
    id: "cost_median",
    header: "Cost, median",
    align: "end",
    value: ({ cost_median }) => cost_median,
    cell: ({ cost_median }) => <Money of={cost_median} />,
  },
  durationColumn("latency", "Latency, median", ({ latency_median }) => latency_median),
  durationColumn("first_token", "First token, median", ({ first_token_median }) => first_token_median),
  shortCountColumn("prompt_tokens", "Input tokens", ({ prompt_tokens }) => prompt_tokens),
  shortCountColumn("completion_tokens", "Output tokens", ({ completion_tokens }) => completion_tokens),
  {
    id: "same",
    header: "Same output",
    align: "end",
    cell: ({ same, compared }) => (
      <span className="number" title={`${same} of ${compared}`}>
        {formatPercent(compared === 0 ? null : same / compared)}
      </span>
    ),
  },
  ...scores.map(
    (name): Column<RunTotals> => ({
      id: `score ${name}`,
      header: scoreName(name),
      align: "end",
      value: (row) => row.scores[name]?.mean,
      cell: (row) => <span className="number">{shownScore(row.scores[name]?.mean)}</span>,
    }),
  ),
];

export const shownScore = (mean: number | undefined | null): string =>
  mean === undefined || mean === null ? "–" : String(Number(mean.toFixed(3)));
