import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Time } from "../../parts/values.tsx";
import { type KeyRow, keysQuery } from "../keys/keys-query.ts";
import { NewKey } from "../keys/new-key.tsx";
import { RevokeButton } from "../keys/revoke-key.tsx";
import { RotateButton } from "../keys/rotate-key.tsx";

/** The user's own keys: they never have more rights than the user. */
export function OwnKeys({ id }: { readonly id: string }) {
  const [isMaking, setMaking] = useState(false);
  const { data, error, refetch } = useQuery(keysQuery);
  return (
    <section>
      <div className="account-head">
        <h2>My keys</h2>
        <button type="button" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          Create key
        </button>
      </div>
      <ListStates
        rows={data?.filter(({ user_id, revoked_at }) => user_id === id && revoked_at === null)}
        error={error}
        onRetry={() => void refetch()}
        empty="You have no keys"
      >
        {(rows) => <DataTable label="My keys" rows={rows} columns={COLUMNS} rowKey={(row) => row.id} />}
      </ListStates>
      {isMaking ? <NewKey onClose={() => setMaking(false)} /> : null}
    </section>
  );
}

const never = <span className="muted">never</span>;
const COLUMNS: readonly Column<KeyRow>[] = [
  { id: "name", header: "Name", value: ({ name }) => name, cell: ({ name }) => name },
  { id: "organization", header: "Organization", cell: ({ organization }) => organization },
  { id: "scopes", header: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  {
    id: "last_used_at",
    header: "Last used",
    cell: ({ last_used_at }) => (last_used_at === null ? never : <Time of={last_used_at} relative />),
  },
  {
    id: "expires_at",
    header: "Expires",
    cell: ({ expires_at }) => (expires_at === null ? never : <Time of={expires_at} />),
  },
  {
    id: "actions",
    header: "Actions",
    cell: (row) => (
      <span className="row-actions">
        <RotateButton row={row} scope="read" />
        <RevokeButton row={row} scope="read" />
      </span>
    ),
  },
];
