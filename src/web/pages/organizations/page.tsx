import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Me } from "../../../api/logins/me.ts";
import type { ShownOrganization } from "../../../store/people/organizations.ts";
import { get } from "../../api.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ORGANIZATIONS, OrganizationDialog } from "./organization-dialog.tsx";

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly organization: ShownOrganization };

/** The deployment's organizations, for operators. */
export function OrganizationsPage() {
  const [open, setOpen] = useState<Open>();
  const { data: me } = useQuery({ queryKey: ["me"], queryFn: ({ signal }) => get<Me>("/v1/me", signal) });
  const isOperator = me?.permissions.includes("operator") ?? false;
  const { data, error, refetch } = useQuery({
    queryKey: ORGANIZATIONS,
    queryFn: ({ signal }) => get<readonly ShownOrganization[]>("/v1/organizations", signal),
    enabled: isOperator,
  });
  const columns = useMemo(() => columnsOf(setOpen), []);
  const close = () => setOpen(undefined);
  return (
    <Page
      title="Organizations"
      about="Each has its own records, keys, members and settings."
      actions={
        isOperator ? (
          <button type="button" className="primary" onClick={() => setOpen({ what: "new" })}>
            <Icon name="plus" />
            Create organization
          </button>
        ) : null
      }
    >
      {me !== undefined && !isOperator ? (
        <Empty title="Organizations are for operators">This needs the permission operator.</Empty>
      ) : (
        <ListStates
          rows={data}
          error={error}
          onRetry={() => void refetch()}
          empty={<Empty title="No organizations">Make one.</Empty>}
        >
          {(rows) => <DataTable label="Organizations" rows={rows} columns={columns} rowKey={({ id }) => id} />}
        </ListStates>
      )}
      {open?.what === "new" ? <OrganizationDialog onClose={close} /> : null}
      {open?.what === "edit" ? <OrganizationDialog organization={open.organization} onClose={close} /> : null}
      {open?.what === "delete" ? <DeleteDialog organization={open.organization} onClose={close} /> : null}
    </Page>
  );
}

function columnsOf(onOpen: (open: Open) => void): Column<ShownOrganization>[] {
  return [
    { id: "name", header: "Name", value: ({ name }) => name, cell: ({ name }) => name },
    { id: "members", header: "Members", value: ({ members }) => members, cell: ({ members }) => String(members) },
    { id: "keys", header: "Keys", value: ({ keys }) => keys, cell: ({ keys }) => String(keys) },
    {
      id: "max_key_days",
      header: "Keys expire after",
      cell: ({ max_key_days: days }) => (days === null ? "as configured" : days === 0 ? "no limit" : `${days} days`),
    },
    {
      id: "created_at",
      header: "Created",
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time of={created_at} />,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (organization) => (
        <span className="form-actions">
          <button type="button" className="small" onClick={() => onOpen({ what: "edit", organization })}>
            Change<span className="unseen"> {organization.name}</span>
          </button>
          <button type="button" className="small danger" onClick={() => onOpen({ what: "delete", organization })}>
            Delete<span className="unseen"> {organization.name}</span>
          </button>
        </span>
      ),
    },
  ];
}
