import { useQuery } from "@tanstack/react-query";
import { get } from "../../api.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Empty } from "../../parts/states.tsx";
import { Count, Time } from "../../parts/values.tsx";
import type { Delivery } from "./shapes.ts";

const ROWS = 50;

/** Deliveries, newest first. */
export function Deliveries({ path }: { readonly path: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["deliveries", path],
    queryFn: ({ signal }) => get<readonly Delivery[]>(`${path}?limit=${ROWS}`, signal),
    refetchInterval: 5_000,
  });
  return (
    <ListStates rows={data} error={error} onRetry={() => void refetch()} empty={<Empty title="Nothing sent yet" />}>
      {(rows) => <DeliveryTable rows={rows} />}
    </ListStates>
  );
}

export function DeliveryTable({ rows }: { readonly rows: readonly Delivery[] }) {
  return <DataTable label="Deliveries" rows={rows} columns={COLUMNS} rowKey={({ id }) => id} />;
}

const TONES: Readonly<Record<string, Tone>> = { delivered: "good", pending: "accent", failed: "bad" };

const COLUMNS: readonly Column<Delivery>[] = [
  { id: "created_at", header: "When", cell: (row) => <Time of={row.created_at} /> },
  { id: "kind", header: "What", cell: (row) => row.kind },
  { id: "state", header: "State", cell: (row) => <Badge tone={TONES[row.state] ?? "plain"}>{row.state}</Badge> },
  { id: "attempts", header: "Attempts", align: "end", cell: (row) => <Count of={row.attempts} /> },
  {
    id: "outcome",
    header: "Outcome",
    cell: (row) => [row.last_status, row.last_error].filter((part) => part !== null).join(" "),
  },
  {
    id: "next",
    header: "Next attempt",
    cell: (row) =>
      row.next_attempt_at === null ? <span className="muted">none</span> : <Time of={row.next_attempt_at} relative />,
  },
];
