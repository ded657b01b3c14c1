import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { post } from "../../api.ts";
import { and, ofSession, or, within } from "../../metrics/filter.ts";
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
import { Count, Duration, Money, Time } from "../../parts/values.tsx";

const FALLBACK = "30d";

interface SessionRow {
  readonly session_id: string;
  readonly session_name: string | null;
  readonly requests: number;
  readonly cost: number | null;
  readonly total_tokens: number | null;
  readonly created_at: string;
  readonly latest_request_created_at: string;
}

export function SessionsPage() {
  const search = useSearch({ from: "/sessions" });
  const navigate = useNavigate({ from: "/sessions" });
  const { q, sort, page, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const change = (next: Partial<TimedListSearch>) => void navigate({ search: { ...search, page: undefined, ...next } });
  return (
    <Page
      title="Sessions"
      about="Requests that belong together, as Gateway-Session-Id says."
      actions={
        <>
          <SearchBox
            label="Search names and ids"
            value={q ?? ""}
            onSearch={(text) => change({ q: text || undefined })}
          />
          <TimeRangeMenu
            value={time}
            fallback={FALLBACK}
            onChange={(next) => void navigate({ search: { q, sort, ...next } })}
          />
        </>
      }
    >
      {span === undefined ? <Loading /> : <Sessions span={span} search={search} onChange={change} />}
    </Page>
  );
}

interface SessionsProps {
  readonly span: Span;
  readonly search: TimedListSearch;
  readonly onChange: (next: Partial<TimedListSearch>) => void;
}

const SORTS = ["session_id", "requests", "cost", "total_tokens", "created_at", "latest_request_created_at"];

function Sessions({ span, search: { q, sort, page = 1 }, onChange }: SessionsProps) {
  const sorted = readSorted(sort, SORTS, { id: "latest_request_created_at", desc: true });
  const found =
    q === undefined
      ? undefined
      : or(ofSession("session_session_name", { contains: q }), ofSession("session_session_id", { contains: q }));
  const body = {
    filter: and(within(span), found),
    sort: sortBody(sorted),
    limit: PAGE_ROWS + 1,
    offset: (page - 1) * PAGE_ROWS,
  };
  const { data, error, refetch } = useQuery({
    queryKey: ["sessions", body],
    queryFn: ({ signal }) => post<readonly SessionRow[]>("/v1/session/query", body, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <ListRoom
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      empty={q === undefined ? "No sessions in this time" : "No session's name or id holds this text"}
    >
      {(rows) => (
        <PagedTable
          label="Sessions"
          rows={rows}
          columns={COLUMNS}
          rowKey={({ session_id }) => session_id}
          sort={sorted}
          page={page}
          onChange={onChange}
        />
      )}
    </ListRoom>
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
    id: "requests",
    header: "Requests",
    align: "end",
    value: (row) => row.requests,
    cell: (row) => <Count of={row.requests} />,
  },
  { id: "cost", header: "Cost", align: "end", value: (row) => row.cost, cell: (row) => <Money of={row.cost} /> },
  {
    id: "total_tokens",
    header: "Tokens",
    align: "end",
    value: (row) => row.total_tokens,
    cell: (row) => <Count of={row.total_tokens} short />,
  },
  { id: "length", header: "Length", align: "end", cell: (row) => <Duration of={lengthOf(row)} /> },
  {
    id: "created_at",
    header: "First request",
    value: (row) => row.created_at,
    cell: (row) => <Time of={row.created_at} />,
  },
  {
    id: "latest_request_created_at",
    header: "Last request",
    value: (row) => row.latest_request_created_at,
    cell: (row) => <Time of={row.latest_request_created_at} relative />,
  },
];
