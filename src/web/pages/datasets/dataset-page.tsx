import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ApiFailure, call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { withoutMarks } from "../../parts/plain-text.ts";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { ReviewButton } from "../reviews/review-button.tsx";
import { ItemEditor } from "./item-editor.tsx";
import { RunDialog } from "./runs/run-dialog.tsx";
import { RunList } from "./runs/run-list.tsx";
import { DATASETS, type Dataset, FORMATS, type Item, messageText } from "./shapes.ts";
import { VersionChoice } from "./version-choice.tsx";

const route = getRouteApi("/datasets/$id");

export function DatasetPage() {
  const { id } = route.useParams();
  const { version } = route.useSearch();
  const { data, error, refetch } = useQuery({
    queryKey: [...DATASETS, id],
    queryFn: ({ signal }) => get<Dataset>(`/v1/datasets/${encodeURIComponent(id)}`, signal),
  });
  if (data === undefined) {
    const isGone = error instanceof ApiFailure && error.status === 404;
    return (
      <Page title="Dataset" actions={<AllDatasets />}>
        {isGone ? (
          <Empty title="There is no dataset with this id">It was deleted, or belongs to another organization.</Empty>
        ) : error === null ? (
          <Loading />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={data.name}
      about={data.description}
      actions={
        <>
          <AllDatasets />
          <VersionChoice dataset={data} version={version} />
          <Download dataset={data} version={version} />
          <ReviewButton dataset={data.id} />
          <RunButton dataset={data} version={version} />
        </>
      }
    >
      <RunList dataset={data.id} />
      <Items dataset={data} version={version} />
    </Page>
  );
}

function AllDatasets() {
  return (
    <Link to="/datasets" className="button quiet">
      <Icon name="list" /> All datasets
    </Link>
  );
}

interface VersionProps {
  readonly dataset: Dataset;
  readonly version: number | undefined;
}

function Download({ dataset, version }: VersionProps) {
  const of = version === undefined ? "" : `&version=${version}`;
  return (
    <Menu label="Download" icon="download">
      {(close) =>
        Object.entries(FORMATS).map(([format, label]) => (
          <a
            key={format}
            className="button quiet"
            href={`/v1/datasets/${dataset.id}/export?format=${format}${of}`}
            download
            onClick={close}
          >
            {label}
          </a>
        ))
      }
    </Menu>
  );
}

function RunButton({ dataset, version }: VersionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton scope="gateway" className="primary" onClick={() => setOpen(true)}>
        <Icon name="play" /> Run
      </GatedButton>
      {isOpen ? <RunDialog dataset={dataset} version={version} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Items({ dataset, version }: VersionProps) {
  const [edited, setEdited] = useState<Item>();
  const path = `/v1/datasets/${dataset.id}/items`;
  // Named even if it is the newest known: by now there may be a newer one.
  const shown = version ?? dataset.version;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...DATASETS, dataset.id, "items", shown],
    queryFn: ({ signal, pageParam }) =>
      call<readonly Item[]>("GET", `${path}?limit=100&version=${shown}${pageParam}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => (next_cursor ? `&cursor=${next_cursor}` : undefined),
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const isNewest = shown === dataset.version;
  const columns = useMemo(() => columnsOf(path, isNewest, setEdited), [path, isNewest]);
  return (
    <>
      <ListStates
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        empty={<Empty title="No examples">Select requests in the list and choose “Add to dataset”.</Empty>}
      >
        {(all) => <DataTable label="Examples" rows={all} columns={columns} rowKey={({ id }) => id} />}
      </ListStates>
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </button>
      ) : null}
      {edited === undefined ? null : (
        <ItemEditor path={path} item={edited} isNewest={isNewest} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

/** Characters of a conversation in a table cell. */
const CELL_CHARS = 200;
const excerpt = (message: unknown): string => withoutMarks(messageText(message).slice(0, CELL_CHARS));

function columnsOf(path: string, isNewest: boolean, onOpen: (item: Item) => void): Column<Item>[] {
  return [
    {
      id: "input",
      header: "Input",
      cell: (row) => (
        <button type="button" className="link" onClick={() => onOpen(row)}>
          {excerpt(row.input.messages.at(-1)) || "(empty)"}
        </button>
      ),
    },
    {
      id: "output",
      header: "Output",
      cell: ({ output }) => (output === null ? <span className="muted">open</span> : excerpt(output)),
    },
    { id: "messages", header: "Messages", align: "end", cell: ({ input }) => input.messages.length },
    { id: "labels", header: "Labels", cell: ({ labels }) => labels.join(", ") },
    {
      id: "request",
      header: "Request",
      cell: ({ request_id }) =>
        request_id === null ? (
          <span className="muted">written</span>
        ) : (
          <Link to="/requests/$id" params={{ id: request_id }}>
            …{request_id.slice(-6)}
          </Link>
        ),
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) => (
        <span className="row-actions">
          <GatedButton scope="write" className="small" onClick={() => onOpen(row)}>
            {isNewest ? "Edit" : "Show"}
            <span className="unseen"> {row.id}</span>
          </GatedButton>
          {isNewest ? (
            <ConfirmButton
              scope="write"
              label="Remove"
              of={row.id}
              title="Take this example out of the dataset?"
              action="Remove"
              run={() => call("DELETE", path, { body: { ids: [row.id] } })}
            >
              It stays in the versions before.
            </ConfirmButton>
          ) : null}
        </span>
      ),
    },
  ];
}
