import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListRoom } from "../../parts/list-room.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { CREDENTIALS, type CredentialRow, STATE_TONES } from "./shapes.ts";
import { TestDialog } from "./test-dialog.tsx";

type Open = { readonly edited: CredentialRow | "new" } | { readonly tested: CredentialRow };

export function CredentialsPage() {
  const [open, setOpen] = useState<Open>();
  const { data, error, refetch } = useQuery({
    queryKey: CREDENTIALS,
    queryFn: ({ signal }) => get<readonly CredentialRow[]>("/v1/credentials", signal),
    refetchInterval: 5_000,
  });
  const columns = useMemo(() => columnsOf(setOpen), []);
  const onClose = () => setOpen(undefined);
  return (
    <Page
      title="Credentials"
      about="Providers' keys that Weir keeps for the unified address. They are encrypted, and never shown again."
      actions={
        <GatedButton scope="admin" className="primary" onClick={() => setOpen({ edited: "new" })}>
          <Icon name="plus" />
          Add credential
        </GatedButton>
      }
    >
      <ListRoom
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No credentials">
            Add one here, write it into <code>weir.toml</code>, or run{" "}
            <code>weir credentials add openai &lt; key.txt</code>.
          </Empty>
        }
      >
        {(rows) => <DataTable label="Credentials" rows={rows} columns={columns} rowKey={keyOf} />}
      </ListRoom>
      {open === undefined ? null : "tested" in open ? (
        <TestDialog credential={open.tested} onClose={onClose} />
      ) : (
        <CredentialDialog credential={open.edited === "new" ? undefined : open.edited} onClose={onClose} />
      )}
    </Page>
  );
}

/** The operator's shared ones may have the name of one's own. */
const keyOf = ({ source, id, name }: CredentialRow) => `${source} ${id ?? name}`;

function columnsOf(onOpen: (open: Open) => void): Column<CredentialRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => row.name },
    { id: "provider", header: "Provider", value: (row) => row.provider, cell: (row) => row.provider },
    {
      id: "state",
      header: "State",
      value: (row) => row.state,
      cell: (row) => (
        <>
          <Badge tone={STATE_TONES[row.state]}>{row.state}</Badge>{" "}
          {row.shared ? <Badge>{row.source === "shared" ? "the operator's" : "shared"}</Badge> : null}
        </>
      ),
    },
    { id: "secrets", header: "Secrets", cell: (row) => <Secrets row={row} /> },
    { id: "weight", header: "Weight", align: "end", value: (row) => row.weight, cell: (row) => row.weight },
    {
      id: "models",
      header: "Models",
      cell: (row) => row.models.join(", ") || <span className="muted">all</span>,
    },
    {
      id: "limit",
      header: "Limit",
      cell: (row) => (row.limit === null ? <span className="muted">none</span> : <code>{row.limit}</code>),
    },
    { id: "actions", header: "Actions", cell: (row) => <Actions row={row} onOpen={onOpen} /> },
  ];
}

function Secrets({ row }: { readonly row: CredentialRow }) {
  const members = Object.entries(row.secrets);
  if (members.length === 0) return <span className="muted">{row.source === "shared" ? "not shown" : "none"}</span>;
  return members.map(([member, secret]) => (
    <div key={member}>
      {member}{" "}
      {"from" in secret ? (
        <code>{secret.from}</code>
      ) : (
        <code title={`encrypted with the key ${secret.key_id}`}>…{secret.last4 ?? ""}</code>
      )}
    </div>
  ));
}

function Actions({ row, onOpen }: { readonly row: CredentialRow; readonly onOpen: (open: Open) => void }) {
  if (row.source === "shared") return <span className="muted">the operator's</span>;
  const test = (
    <GatedButton scope="admin" className="small" onClick={() => onOpen({ tested: row })}>
      Test<span className="unseen"> {row.name}</span>
    </GatedButton>
  );
  if (row.source === "file") {
    return (
      <span className="row-actions">
        {test} <span className="muted">in weir.toml</span>
      </span>
    );
  }
  return (
    <span className="row-actions">
      {test}
      <GatedButton scope="admin" className="small" onClick={() => onOpen({ edited: row })}>
        Edit<span className="unseen"> {row.name}</span>
      </GatedButton>
      <ConfirmButton
        scope="admin"
        label="Delete"
        of={row.name}
        danger
        title={`Delete the credential “${row.name}”?`}
        action="Delete credential"
        run={() => call("DELETE", `/v1/credentials/${encodeURIComponent(row.name)}`)}
        refresh={[CREDENTIALS]}
      >
        Its secrets are removed with it. Requests use the provider's other credentials from the next one on, or are
        refused.
      </ConfirmButton>
    </span>
  );
}
