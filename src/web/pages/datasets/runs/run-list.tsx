import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { get } from "../../../api.ts";
import { Badge } from "../../../parts/badge.tsx";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { Failed } from "../../../parts/states.tsx";
import { costColumn, countColumn, timeColumn } from "../../../parts/value-columns.tsx";
import { LOOK_MS, runsKey, runsPath, type ShownRun, STATES } from "./shapes.ts";

/** The runs of a dataset; hidden if there are none. */
export function RunList({ dataset }: { readonly dataset: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: runsKey(dataset),
    queryFn: ({ signal }) => get<readonly ShownRun[]>(runsPath(dataset), signal),
    refetchInterval: ({ state }) => (state.data?.some((run) => run.state === "running") ? LOOK_MS : false),
  });
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="run-list">
      <h2>Runs</h2>
      <DataTable label="Runs" rows={data} columns={COLUMNS} rowKey={({ id }) => id} />
    </section>
  );
}

const COLUMNS: readonly Column<ShownRun>[] = [
  {
    id: "name",
    header: "Name",
    value: ({ name }) => name,
    cell: ({ id, dataset_id, name }) => (
      <Link to="/datasets/$id/runs/$run" params={{ id: dataset_id, run: id }}>
        {name}
      </Link>
    ),
  },
  { id: "state", header: "State", cell: ({ state }) => <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge> },
  {
    id: "progress",
    header: "Calls",
    cell: ({ done, calls }) => <Meter label="Calls made" value={done} max={calls} text={`${done} of ${calls}`} />,
  },
  countColumn("errors", "Errors", ({ errors }) => errors),
  costColumn(),
  countColumn("version", "Version", ({ version }) => version),
  { id: "created_by", header: "Started by", cell: ({ created_by }) => created_by },
  timeColumn("created_at", "Started", ({ created_at }) => created_at, true),
];
