import { useQuery } from "@tanstack/react-query";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { Count, Money } from "../../parts/values.tsx";
import { sentence } from "./outcome.ts";
import { type CostView, costQuery, type RequestRecord } from "./record.ts";

type Line = CostView["lines"][number];

const LINES: readonly Column<Line>[] = [
  { id: "what", header: "Kind", cell: (line) => line.what },
  { id: "count", header: "Tokens", align: "end", cell: (line) => <Count of={line.count} /> },
  {
    id: "rate",
    header: "× US$ per million",
    align: "end",
    cell: (line) => <span className="number">{Number(line.usd_per_million.toPrecision(6))}</span>,
  },
  {
    id: "usd",
    header: "= US$",
    align: "end",
    cell: (line) => <span className="number">{Number(line.usd.toPrecision(6))}</span>,
  },
];

interface Usage {
  readonly id: string;
  readonly what: string;
  readonly count: number;
}

const USAGE: readonly Column<Usage>[] = [
  { id: "what", header: "Usage", cell: (row) => row.what },
  { id: "count", header: "Tokens", align: "end", cell: (row) => <Count of={row.count} /> },
];

/** The usage of the request, its cost, and the price that applied. */
export function Cost({ record }: { readonly record: RequestRecord }) {
  const { data, error, refetch } = useQuery(costQuery(record.request_id));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={5} />;
  return (
    <div className="cost">
      <p className="cost-sum">
        <Money of={data.cost} />{" "}
        <span className="muted">{data.cost_source === null ? "" : `by ${data.cost_source}`}</span>
      </p>
      {data.lines.length === 0 ? null : (
        <DataTable label="How the cost adds up" rows={data.lines} columns={LINES} rowKey={(line) => line.what} />
      )}
      <p className="muted">{withCode(sentence(data.note))}</p>
      <DataTable label="Recorded usage" rows={usageOf(record)} columns={USAGE} rowKey={(row) => row.id} />
      <p className="muted">
        Rows with a dash are parts of the input or output above them. What the provider did not report is left out.
      </p>
    </div>
  );
}

/** Text between backticks is code. */
const withCode = (text: string) =>
  text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>));

function usageOf(record: RequestRecord): Usage[] {
  const rows = [
    ["prompt_tokens", "Input"],
    ["prompt_cache_read_tokens", "– read from the provider's cache"],
    ["prompt_cache_write_tokens", "– written to the provider's cache"],
    ["prompt_audio_tokens", "– audio"],
    ["completion_tokens", "Output"],
    ["reasoning_tokens", "– reasoning"],
    ["completion_audio_tokens", "– audio"],
    ["total_tokens", "Total"],
  ] as const;
  return rows.flatMap(([id, what]) => (record[id] === null ? [] : [{ id, what, count: record[id] }]));
}
