import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { ConfirmButton, Trouble } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Count, Time } from "../../parts/values.tsx";
import { DetailsDialog } from "./details-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { DASHBOARDS, type Dashboard, type DashboardFile, type ListedDashboard } from "./shapes.ts";

const EMPTY: DashboardFile = { name: "", description: "", range: "7d", filter: null, panels: [] };

export function DashboardsPage() {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<"import" | DashboardFile>();
  const [trouble, setTrouble] = useState<unknown>(null);
  const { data, error, refetch } = useQuery({
    queryKey: DASHBOARDS,
    queryFn: ({ signal }) => get<readonly ListedDashboard[]>("/v1/dashboards", signal),
  });
  const columns = useMemo(() => {
    const copy = async ({ id }: ListedDashboard) => {
      setTrouble(null);
      const source = await get<Dashboard>(`/v1/dashboards/${id}`).catch(setTrouble);
      if (source !== undefined) setOpened({ ...source, name: copyName(source.name), shared: false });
    };
    return columnsOf((row) => void copy(row));
  }, []);
  const open = ({ id, panels }: Dashboard) =>
    void navigate({ to: "/dashboards/$id", params: { id }, search: panels.length === 0 ? { edit: true } : {} });
  return (
    <Page
      title="Dashboards"
      about="Panels over your requests, arranged as you like. Those that come with Weir can be copied and changed."
      actions={
        <>
          <GatedButton scope="figures" onClick={() => setOpened("import")}>
            Import
          </GatedButton>
          <GatedButton scope="figures" className="primary" onClick={() => setOpened(EMPTY)}>
            <Icon name="plus" />
            Create dashboard
          </GatedButton>
        </>
      }
    >
      <Trouble error={trouble} />
      <ListStates rows={data} error={error} onRetry={() => void refetch()} empty="No dashboards">
        {(rows) => <DataTable label="Dashboards" rows={rows} columns={columns} rowKey={({ id }) => id} />}
      </ListStates>
      {opened === undefined ? null : opened === "import" ? (
        <ImportDialog onClose={() => setOpened(undefined)} onSaved={open} />
      ) : (
        <DetailsDialog
          title={opened === EMPTY ? "Create a dashboard" : "Copy a dashboard"}
          action={opened === EMPTY ? "Create dashboard" : "Copy dashboard"}
          of={opened}
          onClose={() => setOpened(undefined)}
          onSaved={open}
        />
      )}
    </Page>
  );
}

export const copyName = (name: string): string => `${name.slice(0, 90)} (copy)`;

function columnsOf(onCopy: (row: ListedDashboard) => void): Column<ListedDashboard>[] {
  return [
    {
      id: "name",
      header: "Name",
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link to="/dashboards/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    { id: "description", header: "Description", cell: ({ description }) => description },
    {
      id: "panels",
      header: "Panels",
      align: "end",
      value: ({ panels }) => panels,
      cell: ({ panels }) => <Count of={panels} />,
    },
    {
      id: "owner",
      header: "Owner",
      value: ({ owner }) => owner,
      cell: ({ owner, shipped, shared }) =>
        shipped ? (
          <Badge tone="plain">built in</Badge>
        ) : (
          <>
            {owner} {shared ? <Badge tone="accent">shared</Badge> : null}
          </>
        ),
    },
    {
      id: "updated_at",
      header: "Changed",
      value: ({ updated_at }) => updated_at,
      cell: ({ updated_at, shipped }) => (shipped ? null : <Time of={updated_at} relative />),
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) => (
        <span className="row-actions">
          <GatedButton scope="figures" className="small" onClick={() => onCopy(row)}>
            Copy<span className="unseen"> {row.name}</span>
          </GatedButton>
          {row.shipped ? null : <DeleteButton row={row} />}
        </span>
      ),
    },
  ];
}

export function DeleteButton({
  row,
  onDone,
}: {
  readonly row: Pick<ListedDashboard, "id" | "name" | "own">;
  readonly onDone?: () => void;
}) {
  return (
    <ConfirmButton
      scope={row.own ? "figures" : "admin"}
      label="Delete"
      of={row.name}
      danger
      title={`Delete the dashboard “${row.name}”?`}
      action="Delete dashboard"
      run={() => call("DELETE", `/v1/dashboards/${row.id}`)}
      changes={[DASHBOARDS]}
      {...(onDone === undefined ? {} : { onDone })}
    >
      It goes for everybody who sees it. It cannot be undone; “Export” keeps it as a file.
    </ConfirmButton>
  );
}
