import { useQuery } from "@tanstack/react-query";
import type { ShownLogin } from "../../../store/people/logins.ts";
import { call, get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Time } from "../../parts/values.tsx";
import { deviceOf } from "./device.ts";

const LOGINS = ["logins"] as const;

/** The user's own log-ins. The API also lists those of others to admins, which are left out here. */
export function OwnSessions({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: LOGINS,
    queryFn: ({ signal }) => get<readonly ShownLogin[]>("/v1/sessions", signal),
  });
  return (
    <section>
      <h2>Log-ins</h2>
      <ListStates
        rows={data?.filter(({ user_id, key_id }) => (user_id ?? key_id) === id)}
        error={error}
        onRetry={() => void refetch()}
        empty="No log-ins"
      >
        {(rows) => <DataTable label="Log-ins" rows={rows} columns={COLUMNS} rowKey={(row) => row.id} />}
      </ListStates>
    </section>
  );
}

const COLUMNS: readonly Column<ShownLogin>[] = [
  {
    id: "agent",
    header: "Browser",
    cell: ({ agent, current }) => (
      <span title={agent ?? undefined}>
        {deviceOf(agent)} {current ? <Badge tone="accent">this one</Badge> : null}
      </span>
    ),
  },
  { id: "address", header: "Address", cell: ({ address }) => address ?? <span className="muted">unknown</span> },
  {
    id: "begun_at",
    header: "Logged in",
    value: ({ begun_at }) => begun_at,
    cell: ({ begun_at }) => <Time of={begun_at} />,
  },
  {
    id: "seen_at",
    header: "Last used",
    value: ({ seen_at }) => seen_at,
    cell: ({ seen_at }) => <Time of={seen_at} relative />,
  },
  {
    id: "expires_at",
    header: "Ends",
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => <Time of={expires_at} />,
  },
  {
    id: "actions",
    header: "Actions",
    cell: ({ id, current, agent }) =>
      current ? null : (
        <ConfirmButton
          scope="figures"
          label="End"
          of={`the log-in of ${deviceOf(agent)}`}
          title="End this log-in?"
          action="End log-in"
          danger
          run={() => call("DELETE", `/v1/sessions/${id}`)}
        >
          {deviceOf(agent)} has to log in again.
        </ConfirmButton>
      ),
  },
];
