import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { post } from "../../api.ts";
import { and, type FilterNode, leaf, within } from "../../metrics/filter.ts";
import { isoSpan, RequestsLink } from "../../metrics/links.tsx";
import type { Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import type { Column } from "../../parts/data-table.tsx";
import { ListRoom } from "../../parts/list-page.tsx";
import { readSorted, sortBody } from "../../parts/list-search.ts";
import { Page } from "../../parts/page.tsx";
import { PAGE_ROWS, PagedTable } from "../../parts/paged-table.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import type { TimedListSearch } from "../../parts/timed-list-search.ts";
import { Count, Money, Time } from "../../parts/values.tsx";

const FALLBACK = "30d";

interface UserRow {
  readonly user_id: string;
  readonly requests: number;
  readonly cost: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly first_active: string;
  readonly last_active: string;
}

export function UsersPage() {
  const search = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const { q, sort, page, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const change = (next: Partial<TimedListSearch>) => void navigate({ search: { ...search, page: undefined, ...next } });
  return (
    <Page
      title="Users"
      about="End users, as requests name them in Gateway-User-Id or in their body."
      actions={
        <>
          <SearchBox label="Search user ids" value={q ?? ""} onSearch={(text) => change({ q: text || undefined })} />
          <TimeRangeMenu
            value={time}
            fallback={FALLBACK}
            onChange={(next) => void navigate({ search: { q, sort, ...next } })}
          />
        </>
      }
    >
      {span === undefined ? <Loading /> : <Users span={span} search={search} onChange={change} />}
    </Page>
  );
}

interface UsersProps {
  readonly span: Span;
  readonly search: TimedListSearch;
  readonly onChange: (next: Partial<TimedListSearch>) => void;
}

const SORTS = [
  "user_id",
  "requests",
  "cost",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "first_active",
  "last_active",
];

function Users({ span, search: { q, sort, page = 1 }, onChange }: UsersProps) {
  const sorted = readSorted(sort, SORTS, { id: "cost", desc: true });
  const found = q === undefined ? undefined : leaf("user_id", { contains: q });
  const body = {
    filter: and(within(span), found),
    sort: sortBody(sorted),
    limit: PAGE_ROWS + 1,
    offset: (page - 1) * PAGE_ROWS,
  };
  const { data, error, refetch } = useQuery({
    queryKey: ["users", body],
    queryFn: ({ signal }) => post<readonly UserRow[]>("/v1/user/metrics/query", body, signal),
    placeholderData: keepPreviousData,
  });
  const columns = useMemo(() => columnsOf({ from: span.from, to: span.to }), [span.from, span.to]);
  return (
    <ListRoom
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      empty={q === undefined ? "No requests of any user in this time" : "No user id holds this text"}
    >
      {(rows) => (
        <PagedTable
          label="Users"
          rows={rows}
          columns={columns}
          rowKey={({ user_id }) => user_id}
          sort={sorted}
          page={page}
          onChange={onChange}
        />
      )}
    </ListRoom>
  );
}

function columnsOf(span: Span): Column<UserRow>[] {
  const of = ({ user_id }: UserRow): FilterNode => leaf("user_id", { equals: user_id });
  return [
    {
      id: "user_id",
      header: "User",
      value: (row) => row.user_id,
      cell: (row) => (
        <RequestsLink filter={of(row)} time={isoSpan(span)}>
          {row.user_id}
        </RequestsLink>
      ),
    },
    { id: "cost", header: "Cost", align: "end", value: (row) => row.cost, cell: (row) => <Money of={row.cost} /> },
    {
      id: "requests",
      header: "Requests",
      align: "end",
      value: (row) => row.requests,
      cell: (row) => <Count of={row.requests} />,
    },
    {
      id: "prompt_tokens",
      header: "Tokens in",
      align: "end",
      value: (row) => row.prompt_tokens,
      cell: (row) => <Count of={row.prompt_tokens} short />,
    },
    {
      id: "completion_tokens",
      header: "Tokens out",
      align: "end",
      value: (row) => row.completion_tokens,
      cell: (row) => <Count of={row.completion_tokens} short />,
    },
    {
      id: "first_active",
      header: "First active",
      value: (row) => row.first_active,
      cell: (row) => <Time of={row.first_active} />,
    },
    {
      id: "last_active",
      header: "Last active",
      value: (row) => row.last_active,
      cell: (row) => <Time of={row.last_active} relative />,
    },
    {
      id: "costs",
      header: "Figures",
      cell: (row) => (
        <Link to="/costs" search={{ ...isoSpan(span), filter: of(row) }}>
          Over time<span className="unseen"> of {row.user_id}</span>
        </Link>
      ),
    },
  ];
}
