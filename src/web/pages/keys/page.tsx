import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { serviceNow } from "../../clock.ts";
import { TableDownload } from "../../download/table-download.tsx";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { useMissing, useSession } from "../../session.ts";
import { type KeyRow, keysQuery } from "./keys-query.ts";
import { NewKey } from "./new-key.tsx";
import { RevokeButton } from "./revoke-key.tsx";
import { RotateButton } from "./rotate-key.tsx";
import { ownerOf, TransferKey } from "./transfer-key.tsx";

export function KeysPage() {
  const [isMaking, setMaking] = useState(false);
  const [transferred, setTransferred] = useState<KeyRow>();
  const [showsRevoked, setShowsRevoked] = useState(false);
  const missing = useMissing("admin");
  const { data, error, refetch } = useQuery({ ...keysQuery, enabled: missing === undefined });
  const { key } = useSession();
  // A column in which all keys are alike would only take space.
  const differ = (of: (row: KeyRow) => string) => new Set(data?.map(of)).size > 1;
  const regions = differ((row) => row.region);
  const organizations = differ((row) => row.organization);
  const columns = useMemo(
    () => columnsOf(key.id, { regions, organizations }, setTransferred),
    [key.id, regions, organizations],
  );
  const revoked = data?.filter(({ revoked_at }) => revoked_at !== null).length ?? 0;
  return (
    <Page
      title="Keys"
      about="Service keys: who may send requests, read records and change settings. Only a key's hash is stored."
      actions={
        <>
          {revoked === 0 ? null : (
            <label className="check">
              <input type="checkbox" checked={showsRevoked} onChange={() => setShowsRevoked(!showsRevoked)} />
              Show {revoked} revoked
            </label>
          )}
          {data === undefined || data.length === 0 ? null : <TableDownload name="keys" ask={async () => data} />}
          <GatedButton scope="admin" className="primary" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            Create key
          </GatedButton>
        </>
      }
    >
      {missing !== undefined ? (
        <Empty title="Keys are for admins">{missing}</Empty>
      ) : (
        <ListStates
          rows={data?.filter(({ revoked_at }) => showsRevoked || revoked_at === null)}
          error={error}
          onRetry={() => void refetch()}
          empty="No keys"
        >
          {(rows) => <DataTable label="Service keys" rows={rows} columns={columns} rowKey={({ id }) => id} wraps />}
        </ListStates>
      )}
      {isMaking ? <NewKey onClose={() => setMaking(false)} /> : null}
      {transferred === undefined ? null : <TransferKey row={transferred} onClose={() => setTransferred(undefined)} />}
    </Page>
  );
}

function stateOf({ revoked_at, expires_at, stopped }: KeyRow): "revoked" | "stopped" | "expired" | "active" {
  if (revoked_at !== null) return "revoked";
  if (stopped !== null) return "stopped"; // by its owner
  return expires_at !== null && Date.parse(expires_at) <= serviceNow() ? "expired" : "active";
}

const WHY_STOPPED = {
  owner_removed: "owner removed",
  owner_disabled: "owner disabled",
  owner_not_member: "owner is no member",
} as const satisfies Record<NonNullable<KeyRow["stopped"]>, string>;

/** A key's scopes, and what it may use if that is restricted. */
function accessOf({ scopes, models, credentials }: KeyRow) {
  const parts = [
    models === null ? [] : [`models: ${models.join(", ") || "none"}`],
    credentials === null ? [] : [`credentials: ${credentials.join(", ") || "none"}`],
  ].flat();
  return (
    <>
      {scopes.includes("admin") ? "admin" : scopes.join(", ")}
      {parts.length === 0 ? null : <span className="muted">; {parts.join("; ")}</span>}
    </>
  );
}

const plain = (id: "organization" | "region", header: string): Column<KeyRow> => ({
  id,
  header,
  value: (row) => row[id],
  cell: (row) => row[id],
});

/** Which of the columns are shown that most services do not need. */
interface Shown {
  readonly regions: boolean;
  readonly organizations: boolean;
}

function columnsOf(ownId: string, shown: Shown, onTransfer: (row: KeyRow) => void): Column<KeyRow>[] {
  return [
    {
      id: "name",
      header: "Name",
      value: (row) => row.name,
      cell: (row) => (
        <>
          <span className="breaks">{row.name}</span> {row.id === ownId ? <Badge tone="accent">yours</Badge> : null}
        </>
      ),
    },
    {
      id: "state",
      header: "State",
      value: stateOf,
      cell: (row) => (
        <>
          <Badge tone={stateOf(row) === "active" ? "good" : "plain"}>{stateOf(row)}</Badge>{" "}
          {stateOf(row) === "stopped" ? <span className="muted">{WHY_STOPPED[row.stopped!]}</span> : null}
        </>
      ),
    },
    ...(shown.organizations ? [plain("organization", "Organization")] : []),
    {
      id: "owner",
      header: "Owner",
      value: ownerOf,
      cell: (row) =>
        row.user === null ? <span className="muted">{ownerOf(row)}</span> : <span className="breaks">{row.user}</span>,
    },
    { id: "scopes", header: "Scopes", cell: accessOf },
    ...(shown.regions ? [plain("region", "Region")] : []),
    {
      id: "created_at",
      header: "Created",
      value: (row) => row.created_at,
      cell: (row) => <Time of={row.created_at} />,
    },
    {
      id: "last_used_at",
      header: "Last used",
      value: (row) => row.last_used_at,
      cell: (row) =>
        row.last_used_at === null ? <span className="muted">never</span> : <Time of={row.last_used_at} relative />,
    },
    {
      id: "expires_at",
      header: "Expires",
      value: (row) => row.expires_at,
      cell: (row) => (row.expires_at === null ? <span className="muted">never</span> : <Time of={row.expires_at} />),
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) =>
        row.revoked_at !== null ? (
          <span className="muted">
            revoked <Time of={row.revoked_at} relative />
          </span>
        ) : (
          <span className="row-actions">
            <GatedButton scope="admin" className="small" onClick={() => onTransfer(row)}>
              Transfer…<span className="unseen"> {row.name}</span>
            </GatedButton>
            {stateOf(row) === "active" ? <RotateButton row={row} scope="admin" /> : null}
            <RevokeButton row={row} scope="admin">
              {row.id === ownId ? <strong> You are logged in with this key.</strong> : null}
            </RevokeButton>
          </span>
        ),
    },
  ];
}
