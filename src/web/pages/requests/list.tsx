import { useCallback, useMemo } from "react";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { type Selection, useSelection } from "./bulk/use-selection.ts";
import { moved, resized } from "./column-choice.ts";
import type { RequestRow } from "./columns.tsx";
import { FirstRequest } from "./first-request.tsx";
import { marksOf } from "./marks.tsx";
import type { RequestsQuestion } from "./query.ts";
import type { RequestsSearch } from "./search.ts";
import { RequestsTable } from "./table.tsx";
import type { ListState } from "./use-list.ts";

interface ListProps {
  readonly list: ListState;
  readonly question: RequestsQuestion;
  readonly search: RequestsSearch;
  readonly onSort: (sort: string | undefined) => void;
  readonly onOpen: (id: string) => void;
}

/** The rows, or what is shown without them; below them the actions for selected rows. */
export function List({ list, search, question, onSort, onOpen }: ListProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = list;
  const { isStopped } = list.searching;
  const marks = useMemo(() => marksOf(search.q), [search.q]);
  const listKey = JSON.stringify({ ...search, live: undefined, open: undefined });
  const selection = useSelection(listKey, list.rows);
  const onEnd = useCallback(() => {
    if (!isStopped && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isStopped, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  if (list.data === undefined) {
    return error === null ? (
      <Loading rows={14} label="Loading requests" />
    ) : (
      <Failed error={error} onRetry={list.refresh} />
    );
  }
  if (list.isFirstStart) return <FirstRequest />;
  if (list.isEmpty) {
    if (hasNextPage) return isStopped ? null : <Loading rows={14} label="Searching" />;
    return (
      <Empty title={search.q === undefined ? "No request matches this filter" : "No request has these words"}>
        {list.warning ??
          (search.q === undefined
            ? "Remove a condition, or choose a longer time."
            : "The search covers the new messages of a turn, the response and its error. To search everything that was sent, use the filter “Request body contains”.")}
      </Empty>
    );
  }
  const [key = "created_at", direction = "desc"] = (search.sort ?? "").split(".").filter((part) => part !== "");
  return (
    <>
      <RequestsTable
        rows={list.rows}
        columns={list.columns}
        headEvents={{
          onMove: (id, to) => list.setColumns(moved(list.columns, id, to)),
          onResize: (id, width) => list.setColumns(resized(list.columns, id, width)),
        }}
        count={list.count}
        sort={{ key, direction: direction === "asc" ? "asc" : "desc" }}
        onSort={
          search.q === undefined
            ? (next) =>
                onSort(
                  next === key && direction === "desc"
                    ? `${next}.asc`
                    : next === "created_at"
                      ? undefined
                      : `${next}.desc`,
                )
            : undefined
        }
        marks={marks}
        onEnd={onEnd}
        onOpen={onOpen}
        openId={search.open}
        selection={selection}
        listKey={listKey}
        foot={
          isFetchNextPageError ? (
            <Failed error={error} onRetry={() => void fetchNextPage()} />
          ) : hasNextPage ? (
            isStopped ? (
              "Stopped."
            ) : (
              "Loading more…"
            )
          ) : (
            "These are all."
          )
        }
      />
      <BulkBar
        selection={selection}
        question={question}
        count={list.count}
        loaded={list.rows.length}
        hasMore={hasNextPage}
        pair={pairOf(list.rows, selection)}
      />
    </>
  );
}

/** Ids of the selected requests if there are two, the older first. */
function pairOf(rows: readonly RequestRow[], { ids, isAll }: Selection): readonly [string, string] | undefined {
  if (isAll || ids.size !== 2) return undefined;
  const chosen = rows.filter(({ request_id }) => ids.has(request_id));
  // Of the same millisecond, the lower row is the older one where the newest come first.
  const [older, newer] = chosen.reverse().sort((a, b) => a.request_created_at.localeCompare(b.request_created_at));
  return older === undefined || newer === undefined ? undefined : [older.request_id, newer.request_id];
}
