import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListRoom } from "../../parts/list-room.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { RouteDialog } from "./route-dialog.tsx";
import { ROUTES, type RouteRow, type TargetRow } from "./shapes.ts";

export function RoutesPage() {
  const [edited, setEdited] = useState<RouteRow | "new">();
  const { data, error, refetch } = useQuery({
    queryKey: ROUTES,
    queryFn: ({ signal }) => get<readonly RouteRow[]>("/v1/routes", signal),
    refetchInterval: 5_000,
  });
  const columns = useMemo(() => columnsOf(setEdited), []);
  return (
    <Page
      title="Routes"
      about="Names of your own for models, with fallbacks: clients of the unified address write them as the model."
      actions={
        <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Create route
        </GatedButton>
      }
    >
      <ListRoom
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No routes">
            Create one here, write it into <code>weir.toml</code>, or run{" "}
            <code>weir routes set fast --target openai/gpt-5-mini</code>. Clients can also write{" "}
            <code>provider/model</code> without one.
          </Empty>
        }
      >
        {(rows) => (
          <DataTable label="Routes" rows={rows} columns={columns} rowKey={({ source, name }) => `${source} ${name}`} />
        )}
      </ListRoom>
      {edited === undefined ? null : (
        <RouteDialog route={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
}

function columnsOf(onEdit: (row: RouteRow) => void): Column<RouteRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => <code>{row.name}</code> },
    { id: "targets", header: "Targets", cell: (row) => <Targets row={row} /> },
    { id: "strategy", header: "Strategy", value: (row) => row.strategy, cell: (row) => row.strategy },
    { id: "sticky", header: "Sticky", value: (row) => row.sticky, cell: (row) => row.sticky },
    { id: "description", header: "Description", cell: (row) => row.description ?? "" },
    { id: "actions", header: "Actions", cell: (row) => <Actions row={row} onEdit={onEdit} /> },
  ];
}

function Targets({ row }: { readonly row: RouteRow }) {
  const targets = row.targets as readonly TargetRow[];
  return targets.map(({ model, weight }, at) => (
    <div key={at}>
      <code>{model}</code>
      {row.strategy === "weighted" ? <span className="muted"> weight {weight}</span> : null}
    </div>
  ));
}

function Actions({ row, onEdit }: { readonly row: RouteRow; readonly onEdit: (row: RouteRow) => void }) {
  if (row.source === "file") return <span className="muted">in weir.toml</span>;
  return (
    <span className="row-actions">
      <GatedButton scope="admin" className="small" onClick={() => onEdit(row)}>
        Edit<span className="unseen"> {row.name}</span>
      </GatedButton>
      <ConfirmButton
        scope="admin"
        label="Delete"
        of={row.name}
        danger
        title={`Delete the route “${row.name}”?`}
        action="Delete route"
        run={() => call("DELETE", `/v1/routes/${encodeURIComponent(row.name)}`)}
        refresh={[ROUTES]}
      >
        Requests that name it are refused from the next one on, unless a model has its name.
      </ConfirmButton>
    </span>
  );
}
