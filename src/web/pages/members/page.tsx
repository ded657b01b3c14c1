import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ShownMember } from "../../../store/people/members.ts";
import { call, get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { useMissing, useSession } from "../../session.ts";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { MEMBERS } from "./roles.tsx";
import { StoppedKeys } from "./stopped-keys.tsx";

export function MembersPage() {
  const [edited, setEdited] = useState<ShownMember | "new">();
  const missing = useMissing("admin");
  const { key } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: MEMBERS,
    queryFn: ({ signal }) => get<readonly ShownMember[]>("/v1/members", signal),
    enabled: missing === undefined,
  });
  const columns = useMemo(() => columnsOf(key.id, setEdited), [key.id]);
  const close = () => setEdited(undefined);
  return (
    <Page
      title="Members"
      about="People of this organization, and what they may do."
      actions={
        <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Invite
        </GatedButton>
      }
    >
      {missing !== undefined ? (
        <Empty title="Members are for admins">{missing}</Empty>
      ) : (
        <ListStates
          rows={data}
          error={error}
          onRetry={() => void refetch()}
          empty={<Empty title="No members">Invite people: they log in with a password in place of a key.</Empty>}
        >
          {(rows) => <DataTable label="Members" rows={rows} columns={columns} rowKey={({ user_id }) => user_id} />}
        </ListStates>
      )}
      {missing === undefined ? <Invitations /> : null}
      {edited === "new" ? <Invite onClose={close} /> : null}
      {edited === undefined || edited === "new" ? null : <RoleDialog member={edited} onClose={close} />}
    </Page>
  );
}

function columnsOf(ownId: string, onEdit: (member: ShownMember) => void): Column<ShownMember>[] {
  return [
    {
      id: "email",
      header: "E-mail",
      value: ({ email }) => email,
      cell: ({ email, user_id, disabled }) => (
        <>
          {email} {user_id === ownId ? <Badge tone="accent">you</Badge> : null}
          {disabled ? <Badge tone="plain">disabled</Badge> : null}
        </>
      ),
    },
    { id: "name", header: "Name", value: ({ name }) => name, cell: ({ name }) => name },
    { id: "role", header: "Role", value: ({ role }) => role, cell: ({ role }) => role },
    {
      id: "last_login_at",
      header: "Last log-in",
      value: ({ last_login_at }) => last_login_at,
      cell: ({ last_login_at }) =>
        last_login_at === null ? <span className="muted">never</span> : <Time of={last_login_at} relative />,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (member) => (
        <span className="form-actions">
          <GatedButton scope="admin" className="small" onClick={() => onEdit(member)}>
            Change role<span className="unseen"> of {member.email}</span>
          </GatedButton>
          <ConfirmButton
            scope="admin"
            label="Remove"
            of={member.email}
            title={`Remove ${member.email}?`}
            action="Remove member"
            danger
            run={() => call("DELETE", `/v1/members/${member.user_id}`)}
          >
            They lose access to this organization. <StoppedKeys userId={member.user_id} />
            {member.user_id === ownId ? <strong> This is you.</strong> : null}
          </ConfirmButton>
        </span>
      ),
    },
  ];
}
