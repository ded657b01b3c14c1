import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FilterTree, leaf } from "../../filter/tree.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { isoSpan, type Span } from "../../metrics/range.ts";
import { TimedListPage } from "../../metrics/timed-list-page.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { costColumn, countColumn, shortCountColumn, timeColumn } from "../../parts/value-columns.tsx";

interface UserRow {
  readonly user_id: string;
  readonly requests: number;
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly first_active: string;
  readonly last_active: string;
}

export function UsersPage() {
  const navigate = useNavigate({ from: "/users" });
  return (
    <TimedListPage
      of={USERS}
      search={useSearch({ from: "/users" })}
      onSearch={(search, replace) => void navigate({ search, replace })}
    />
  );
}

const requestsOf = ({ user_id }: UserRow): FilterTree => leaf("user_id", { equals: user_id });

const columnsOf = (span: Span): readonly Column<UserRow>[] => [
  {
    id: "user_id",
    header: "User",
    value: (row) => row.user_id,
    cell: (row) => (
      <RequestsLink filter={requestsOf(row)} time={isoSpan(span)}>
        {row.user_id}
      </RequestsLink>
    ),
  },
  costColumn(),
  countColumn("requests", "Requests", (row) => row.requests),
  shortCountColumn("prompt_tokens", "Input tokens", (row) => row.prompt_tokens),
  shortCountColumn("completion_tokens", "Output tokens", (row) => row.completion_tokens),
  timeColumn("first_active", "First active", (row) => row.first_active),
  timeColumn("last_active", "Last active", (row) => row.last_active, true),
  {
    id: "costs",
    header: "Overview",
    cell: (row) => (
      <Link to="/overview" search={{ ...isoSpan(span), filter: requestsOf(row) }}>
        Over time<span className="unseen"> of {row.user_id}</span>
      </Link>
    ),
  },
];

const USERS = {
  title: "Users",
  about: "End users, as requests name them in Gateway-User-Id or in their body.",
  path: "/v1/user/metrics/query",
  searchLabel: "Search user ids",
  filterLabel: "Filter users",
  found: (text: string) => leaf("user_id", { contains: text }),
  order: { id: "cost", desc: true },
  columns: columnsOf,
  rowKey: (row: UserRow) => row.user_id,
  none: (
    <Empty title="No requests of any user in this time">
      Send <code>Gateway-User-Id</code> with a request, or choose a longer time.
    </Empty>
  ),
  notFound: (
    <Empty title="No matching user">
      No request of a user in this time fits the search and the filter. Choose a longer time, or remove a condition.
    </Empty>
  ),
};
