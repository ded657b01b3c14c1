import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RequestsQuestion, useRequests } from "./query.ts";

/** Hits that a search finds by itself; scrolling the list finds more. */
const HITS_MIN = 50;

/** Continues a query in parts until there are enough hits, or it is stopped. */
export function useSearching(
  { isInParts, filter, search }: RequestsQuestion,
  requests: ReturnType<typeof useRequests>,
) {
  const { rows, searchedTo, hasNextPage, isFetching, isFetchingNextPage, isError, fetchNextPage } = requests;
  const client = useQueryClient();
  /** The stopped query; another query is not stopped. */
  const [stopped, setStopped] = useState<string>();
  const key = JSON.stringify([filter, search]);
  const isStopped = isInParts && stopped === key;
  const goesOn = isInParts && !isStopped && hasNextPage && !isError && rows.length < HITS_MIN;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return {
    found: rows.length,
    searchedTo,
    isStopped: isStopped && hasNextPage,
    isSearching: isInParts && !isStopped && (goesOn || isFetchingNextPage || isFetching),
    onStop: () => {
      setStopped(key);
      void client.cancelQueries({ queryKey: ["requests"] });
    },
    onGoOn: () => setStopped(undefined),
  };
}
