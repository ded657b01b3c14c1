import { useQuery } from "@tanstack/react-query";
import type { PendingInvitation } from "../../../store/people/invitations.ts";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Failed } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { MEMBERS } from "./roles.tsx";

/** Invitations that still work; nothing if there are none. */
export function Invitations() {
  const { data, error, refetch } = useQuery({
    // It begins with the key of the members, so that it is refreshed with them.
    queryKey: [...MEMBERS, "invitations"],
    queryFn: ({ signal }) => get<readonly PendingInvitation[]>("/v1/invitations", signal),
  });
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <>
      <h2>Invitations</h2>
      <DataTable label="Invitations" rows={data} columns={COLUMNS} rowKey={({ id }) => id} />
    </>
  );
}

const COLUMNS: readonly Column<PendingInvitation>[] = [
  { id: "email", header: "E-mail", value: ({ email }) => email, cell: ({ email }) => email },
  { id: "role", header: "Role", value: ({ role }) => role, cell: ({ role }) => role },
  { id: "by", header: "Invited by", value: ({ invited_by }) => invited_by, cell: ({ invited_by }) => invited_by },
  {
    id: "expires_at",
    header: "Expires",
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => <Time of={expires_at} />,
  },
  {
    id: "actions",
    header: "Actions",
    cell: ({ id, email }) => (
      <ConfirmButton
        scope="admin"
        label="Revoke"
        of={`the invitation of ${email}`}
        title={`Revoke the invitation of ${email}?`}
        action="Revoke invitation"
        danger
        run={() => call("DELETE", `/v1/invitations/${id}`)}
      >
        Its link stops working. You can send another invitation.
      </ConfirmButton>
    ),
  },
];
