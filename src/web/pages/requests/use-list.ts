import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type RequestsQuestion, useRequestCount, useRequests } from "./query.ts";
import type { RequestsSearch } from "./search.ts";
import { useSearching } from "./use-searching.ts";
import { useColumns } from "./views/use-columns.ts";
import { viewsQuery } from "./views/views.ts";

export type ListState = ReturnType<typeof useList>;

/** The state of the rows: which, how many, which columns, and whether they update live. */
export function useList(search: RequestsSearch, question: RequestsQuestion) {
  const views = useQuery({ ...viewsQuery, enabled: search.view !== undefined });
  const view = views.data?.find(({ id }) => id === search.view);
  const choices = useColumns(view);
  const isNewestFirst = search.sort === undefined || search.sort === "created_at.desc";
  const canBeLive = isNewestFirst && search.to === undefined && search.q === undefined;
  const isUnfiltered = question.filter === "all" && search.q === undefined;
  const [isFirstStart, setFirstStart] = useState(false);
  const requests = useRequests(question, (search.live === true && canBeLive) || isFirstStart);
  const isEmpty = requests.data !== undefined && requests.rows.length === 0;
  if (isFirstStart !== (isEmpty && isUnfiltered)) setFirstStart(isEmpty && isUnfiltered);
  const searching = useSearching(question, requests);
  const hasRows = requests.data !== undefined;
  const count = useRequestCount(question, { live: search.live === true && canBeLive, hasRows });
  return {
    ...requests,
    searching,
    isEmpty,
    isFirstStart,
    canBeLive,
    count: count === undefined ? undefined : Math.max(count, requests.hasNextPage ? 0 : requests.rows.length),
    view,
    ...choices,
  };
}
