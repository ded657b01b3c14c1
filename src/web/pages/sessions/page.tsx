import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ofSession, or } from "../../filter/tree.ts";
import { TimedListPage } from "../../metrics/timed-list-page.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { costColumn, countColumn, shortCountColumn, timeColumn } from "../../parts/value-columns.tsx";
import { Bytes, Count, Duration } from "../../parts/values.tsx";

interface SessionRow {
  readonly session_id: string;
  readonly session_name: string | null;
  readonly users: readonly string[];
  readonly requests: number;
  readonly errors: number;
  readonly cost: number | null;
  readonly total_tokens: number | null;
  readonly size_bytes?: number | null;
  readonly stored_bytes?: number | null;
  readonly created_at: string;
  readonly latest_request_created_at: string;
}

export function SessionsPage() {
  const navigate = useNavigate({ from: "/sessions" });
  return (
    <TimedListPage
      of={SESSIONS}
      search={useSearch({ from: "/sessions" })}
      onSearch={(search, replace) => void navigate({ search, replace })}
    />
  );
}

const lengthOf = ({ created_at, latest_request_created_at }: SessionRow) =>
  Date.parse(latest_request_created_at) - Date.parse(created_at);

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    id: "session_id",
    header: "Session",
    value: (row) => row.session_id,
    cell: (row) => (
      <Link to="/sessions/$id" params={{ id: row.session_id }}>
        {row.session_name ?? row.session_id}
        {row.session_name === null ? null : <span className="muted mono"> {row.session_id}</span>}
      </Link>
    ),
  },
  {
    id: "users",
    header: "User",
    cell: ({ users: [first, ...others] }) => (
      <span className="cut" title={[first, ...others].join(", ")}>
        {first ?? "–"}
        {others.length > 0 ? <span className="muted"> +{others.length}</span> : null}
      </span>
    ),
  },
  countColumn("requests", "Requests", (row) => row.requests),
  {
    ...countColumn<SessionRow>("errors", "Errors", (row) => row.errors),
    cell: ({ errors }) => (errors === 0 ? <span className="muted">0</span> : <Count of={errors} />),
  },
  costColumn(),
  shortCountColumn("total_tokens", "Tokens", (row) => row.total_tokens),
  { id: "stored", header: "Stored", align: "end", cell: (row) => <Bytes of={row.stored_bytes} /> },
  { id: "length", header: "Duration", align: "end", cell: (row) => <Duration of={lengthOf(row)} /> },
  timeColumn("latest_request_created_at", "Last request", (row) => row.latest_request_created_at, true),
];

const SESSIONS = {
  title: "Sessions",
  about: "Requests that belong together by Gateway-Session-Id. A filter shows the sessions with a matching request.",
  path: "/v1/session/query",
  more: { includeStoredBytes: true, whole: true },
  searchLabel: "Search names and ids",
  hasWords: true,
  filterLabel: "Filter sessions",
  found: (text: string) =>
    or(ofSession("session_session_name", { contains: text }), ofSession("session_session_id", { contains: text })),
  order: { id: "latest_request_created_at", desc: true },
  columns: () => COLUMNS,
  rowKey: (row: SessionRow) => row.session_id,
  none: (
    <Empty title="No sessions in this time">
      Send <code>Gateway-Session-Id</code> with requests that belong together, or choose a longer time.
    </Empty>
  ),
  notFound: (
    <Empty title="No matching session">
      No request of a session in this time fits the search and the filter. Choose a longer time, or remove a condition.
    </Empty>
  ),
};
