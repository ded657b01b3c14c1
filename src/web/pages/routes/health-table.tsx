import { useQuery } from "@tanstack/react-query";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Empty } from "../../parts/states.tsx";
import { Count } from "../../parts/values.tsx";
import { type HealthRow, healthQuery } from "../../routing/health.ts";
import { HealthBadge } from "../../routing/health-badge.tsx";

const COLUMNS: readonly Column<HealthRow>[] = [
  { id: "credential", header: "Credential", value: (row) => row.credential, cell: (row) => row.credential },
  { id: "state", header: "State", value: (row) => row.until, cell: (row) => <HealthBadge {...row} /> },
  { id: "provider", header: "Provider", value: (row) => row.provider, cell: (row) => row.provider },
  {
    id: "model",
    header: "Model",
    value: (row) => row.model,
    cell: (row) => (row.model === null ? <span className="muted">all</span> : <code>{row.model}</code>),
  },
  {
    id: "failures",
    header: "Failures in a row",
    align: "end",
    value: (row) => row.failures,
    cell: (row) => <Count of={row.failures} />,
  },
  { id: "error", header: "Last error", cell: (row) => row.last_error ?? <span className="muted">none</span> },
];

/** Credentials that failed recently, and how long they rest. */
export function HealthTable() {
  const { data, error, refetch } = useQuery(healthQuery);
  return (
    <ListStates
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      empty={
        <Empty title="No credential is paused or failed recently">
          After a 429, a refused key or three failures in a row, a credential is paused and the next target is used. It
          is listed here until a request succeeds. A credential whose limit is used up is listed until the limit has
          room again.
        </Empty>
      }
    >
      {(rows) => (
        <DataTable
          label="Credentials that are paused or failed recently"
          rows={rows}
          columns={COLUMNS}
          rowKey={({ provider, credential, model, state }) => JSON.stringify([provider, credential, model, state])}
        />
      )}
    </ListStates>
  );
}
