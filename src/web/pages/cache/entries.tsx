import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Pager, PastEnd } from "../../parts/pager.tsx";
import { Empty } from "../../parts/states.tsx";
import { Bytes, Time } from "../../parts/values.tsx";
import { CACHE } from "./shapes.ts";

const PAGE_ROWS = 50;

interface EntryRow {
  readonly key: string;
  readonly bucket_idx: number;
  readonly request_id: string;
  readonly model: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly bytes: number;
}

/** The stored responses, most recently used first. */
export function Entries({ page, onPage }: { readonly page: number; readonly onPage: (page: number) => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...CACHE, "entries", page],
    queryFn: ({ signal }) =>
      get<readonly EntryRow[]>(`/v1/cache/entries?limit=${PAGE_ROWS + 1}&offset=${(page - 1) * PAGE_ROWS}`, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="top-list" aria-label="Cached responses">
      <h2>Cached responses, the last used first</h2>
      <ListStates
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          page > 1 ? (
            <PastEnd onFirst={() => onPage(1)} />
          ) : (
            <Empty title="No responses are cached">
              Send <code>Gateway-Cache-Enabled: true</code> with a request.
            </Empty>
          )
        }
      >
        {(rows) => (
          <>
            <DataTable
              label="Cached responses"
              rows={rows.slice(0, PAGE_ROWS)}
              columns={COLUMNS}
              rowKey={({ key, bucket_idx }) => `${key} ${bucket_idx}`}
            />
            <Pager
              page={page}
              pageRows={PAGE_ROWS}
              rows={Math.min(rows.length, PAGE_ROWS)}
              hasMore={rows.length > PAGE_ROWS}
              onPage={onPage}
            />
          </>
        )}
      </ListStates>
    </section>
  );
}

const COLUMNS: readonly Column<EntryRow>[] = [
  {
    id: "request_id",
    header: "Original request",
    cell: (row) => (
      <Link to="/requests/$id" params={{ id: row.request_id }} className="mono">
        {row.request_id}
      </Link>
    ),
  },
  {
    id: "model",
    header: "Model",
    value: (row) => row.model,
    cell: (row) => row.model ?? <span className="muted">none</span>,
  },
  { id: "bytes", header: "Size", align: "end", value: (row) => row.bytes, cell: (row) => <Bytes of={row.bytes} /> },
  {
    id: "created_at",
    header: "Kept since",
    value: (row) => row.created_at,
    cell: (row) => <Time of={row.created_at} relative />,
  },
  { id: "expires_at", header: "Until", value: (row) => row.expires_at, cell: (row) => <Time of={row.expires_at} /> },
  { id: "key", header: "Key", cell: (row) => <code title={row.key}>{row.key.slice(0, 12)}…</code> },
  {
    id: "actions",
    header: "Actions",
    cell: (row) => (
      <ConfirmButton
        scope="admin"
        label="Remove"
        of={`the response to ${row.request_id}`}
        danger
        title="Remove this response?"
        action="Remove response"
        run={() => call("DELETE", "/v1/cache", { body: { key: row.key } })}
      >
        The next such request goes to the provider. All responses under this key are removed.
      </ConfirmButton>
    ),
  },
];
