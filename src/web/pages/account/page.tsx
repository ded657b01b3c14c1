import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Me } from "../../../api/logins/me.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { chooseOrganization, meQuery } from "../../session.ts";
import { NewPassword } from "./new-password.tsx";
import { OwnKeys } from "./own-keys.tsx";
import { OwnSessions } from "./own-sessions.tsx";

/** The logged-in user, with their log-ins and keys. */
export function AccountPage() {
  const { data, error, refetch } = useQuery(meQuery);
  return (
    <Page title="My account" about="Your account, your log-ins and your keys.">
      <ListStates rows={data && [data]} error={error} onRetry={() => void refetch()} empty="No account">
        {([me]) => <Account me={me!} />}
      </ListStates>
    </Page>
  );
}

function Account({ me }: { readonly me: Me }) {
  const isUser = me.kind === "user";
  return (
    <div className="account-page">
      <dl className="account-facts">
        <dt>{isUser ? "Name" : "Service key"}</dt>
        <dd>{me.name}</dd>
        {me.email === null ? null : (
          <>
            <dt>E-mail</dt>
            <dd>{me.email}</dd>
          </>
        )}
        {me.role === null ? null : (
          <>
            <dt>Role</dt>
            <dd>{me.role}</dd>
          </>
        )}
        <dt>Permissions</dt>
        <dd>{me.permissions.join(", ")}</dd>
        <dt>Organization</dt>
        <dd>{me.organizations.length < 2 ? me.organization.name : <Organizations me={me} />}</dd>
      </dl>
      <OwnSessions id={me.id} />
      {isUser && me.permissions.includes("keys") ? <OwnKeys id={me.id} /> : null}
      {isUser ? <NewPassword email={me.email ?? ""} /> : null}
    </div>
  );
}

function Organizations({ me }: { readonly me: Me }) {
  const client = useQueryClient();
  return (
    <select
      aria-label="Organization"
      value={me.organization.id}
      onChange={({ currentTarget }) => void chooseOrganization(client, currentTarget.value)}
    >
      {me.organizations.map(({ id, name, role }) => (
        <option key={id} value={id}>
          {name}
          {role === null ? "" : `, ${role}`}
        </option>
      ))}
    </select>
  );
}
