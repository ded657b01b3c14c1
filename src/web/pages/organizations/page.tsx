import { useMemo, useState } from "react";
import type { ShownOrganization } from "../../../store/people/organizations.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { OrganizationDialog } from "./organization-dialog.tsx";
import { useOrganizations } from "./use-organizations.ts";

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly organization: ShownOrganization };

/** The deployment's organizations, for operators. */
export function OrganizationsPage() {
  const [open, setOpen] = useState<Open>();
  const { isOperator, data, error, refetch } = useOrganizations();
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
      {isOperator === false ? (
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
