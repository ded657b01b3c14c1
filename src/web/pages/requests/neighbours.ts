import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { call } from "../../api.ts";
import { and, during, leaf } from "../../filter/tree.ts";
import type { RequestRow } from "./columns.tsx";
import { type RequestsQuestion, rowsQuery } from "./query.ts";

/** Ids of the previous and next request, in the order of the list. */
export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** How many rows before the end the next page is requested. */
const AHEAD_ROWS = 5;
/** Requests in the same millisecond that may be between a request and its neighbour. */
const SAME_TIME_MAX = 50;

/**
 * The neighbours of a request in its list: from the loaded rows, with more loaded near their end. For a request that is not
 * among them, such as one from a link, by its time if the list is sorted by time.
 */
export function useNeighbours(id: string, createdAt: string | undefined, question: RequestsQuestion): Neighbours {
  // The list itself loads the rows; here more are loaded only near their end.
  const list = useInfiniteQuery({ ...rowsQuery(question), enabled: false });
  const ids = useMemo(
    () => list.data?.pages.flatMap((page) => page.data.map(({ request_id }) => request_id)) ?? [],
    [list.data],
  );
  const at = ids.indexOf(id);
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const isNearEnd = at !== -1 && at >= ids.length - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, isError, fetchNextPage]);
  const direction = question.sort["created_at"];
  const isByTime = direction !== undefined && !question.isInParts;
  const time = at === -1 && isByTime ? createdAt : undefined;
  const older = useBeside(id, time, question, "desc");
  const newer = useBeside(id, time, question, "asc");
  if (at !== -1) return { previous: ids[at - 1], next: ids[at + 1] };
  return direction === "asc" ? { previous: older, next: newer } : { previous: newer, next: older };
}

function useBeside(
  id: string,
  time: string | undefined,
  { path, filter }: RequestsQuestion,
  direction: "asc" | "desc",
): string | undefined {
  const bound = direction === "desc" ? leaf("request_created_at", { lte: time }) : during({ from: time });
  const { data } = useQuery({
    queryKey: ["requests-beside", id, filter, direction],
    queryFn: ({ signal }) =>
      call<readonly RequestRow[]>("POST", path, {
        body: {
          filter: and(filter, bound),
          sort: { created_at: direction },
          limit: SAME_TIME_MAX,
          includeBody: false,
        },
        signal,
      }),
    enabled: time !== undefined,
    staleTime: direction === "desc" ? Number.POSITIVE_INFINITY : 5_000,
  });
  const rows = data?.data ?? [];
  // If the filter excludes the request itself, the first row is the nearest.
  return rows[rows.findIndex((row) => row.request_id === id) + 1]?.request_id;
}
