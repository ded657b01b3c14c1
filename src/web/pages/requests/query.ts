import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { call, post } from "../../api.ts";
import { and, during, type FilterTree, isFast } from "../../filter/tree.ts";
import { rowsBody, takeFirstRows } from "../../first-rows.ts";
import { momentsOf } from "../../parts/time-range.ts";
import type { RequestRow } from "./columns.tsx";
import { type Pages, withHead } from "./head.ts";
import type { RequestsSearch } from "./search.ts";

const LIVE_MS = 1_500;
/** How long rows in another order stay fresh. */
const ORDERED_STALE_MS = 10_000;

/** The page's query to the API. */
export interface RequestsQuestion {
  readonly path: "/v1/request/query-fast" | "/v1/request/query";
  readonly filter: FilterTree;
  readonly sort: Readonly<Record<string, "asc" | "desc">>;
  readonly moments: { readonly from: string | undefined; readonly to: string | undefined };
  /** Search words. */
  readonly search?: string;
  /** Whether the response comes in parts: hits so far, and how far back the search has looked. */
  readonly isInParts: boolean;
  /** The filter without the time range. */
  readonly ownFilter: FilterTree;
}

export function questionOf(search: RequestsSearch): RequestsQuestion {
  const moments = momentsOf(search);
  const ownFilter = (search.filter ?? "all") as FilterTree;
  const filter = and(during(moments), ownFilter);
  const [key = "created_at", direction = "desc"] = (search.sort ?? "").split(".").filter((part) => part !== "");
  return {
    path: isFast(filter) ? "/v1/request/query-fast" : "/v1/request/query",
    filter,
    // A search has a fixed order.
    ...(search.q === undefined
      ? { sort: { [key]: direction === "asc" ? "asc" : "desc" } }
      : { sort: { created_at: "desc" }, search: search.q }),
    isInParts: search.q !== undefined || asksBodies(filter),
    moments,
    ownFilter,
  };
}

/** Fields that are searched in bodies, which is slow for many records. */
const IN_BODIES = /"(?:request_body|response_body|body_completion)":|"request":\{"prompt":/;
const asksBodies = (filter: FilterTree) => IN_BODIES.test(JSON.stringify(filter));

function askRows(
  { path, sort, search, isInParts }: RequestsQuestion,
  filter: FilterTree,
  cursor: string | null,
  signal: AbortSignal,
) {
  const body = rowsBody({
    ...{ filter, sort, search },
    ...(isInParts && search === undefined ? { partial: true } : {}),
    ...(cursor === null ? {} : { cursor }),
  });
  return call<readonly RequestRow[]>("POST", path, { body, signal, pending: takeFirstRows(path, body) });
}

const isNewestFirst = ({ sort }: RequestsQuestion) => sort["created_at"] === "desc";

/** The rows of a query, a page at a time. */
export const rowsQuery = (question: RequestsQuestion) =>
  infiniteQueryOptions({
    queryKey: ["requests", question.path, question.filter, question.sort, question.search],
    queryFn: ({ pageParam, signal }) => askRows(question, question.filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor ?? null,
    staleTime: isNewestFirst(question) ? Number.POSITIVE_INFINITY : ORDERED_STALE_MS,
    refetchOnWindowFocus: false,
    // Comparing all rows would make each further page slower; `withHead` keeps unchanged rows.
    structuralSharing: false,
  });

/** Whether the list was shown before. Rows that were loaded before it was are as new as those that it loads itself. */
let wasShown = false;

/**
 * The rows, with new and changed ones at their head: refreshed when the list opens or the window gets the focus, and
 * continuously with `live`. Orders other than by time are reloaded completely.
 */
export function useRequests(question: RequestsQuestion, live: boolean) {
  const client = useQueryClient();
  const pages = useInfiniteQuery(rowsQuery(question));
  const [isFirst] = useState(() => !wasShown);
  useEffect(() => {
    wasShown = true;
  }, []);
  const { queryKey } = useMemo(() => rowsQuery(question), [question]);
  const head = useQuery({
    queryKey: ["requests-head", ...queryKey],
    queryFn: ({ signal }) => {
      const since = changingSince(client.getQueryData<Pages>(queryKey));
      return askRows(question, and(during({ from: since }), question.filter), null, signal);
    },
    enabled: isNewestFirst(question) && question.search === undefined && pages.data !== undefined,
    // Rows that were just loaded, perhaps before the page was drawn, are their own head; those of an earlier visit are not.
    initialData: pages.data?.pages[0],
    initialDataUpdatedAt: pages.isFetchedAfterMount || isFirst ? pages.dataUpdatedAt : 0,
    staleTime: LIVE_MS,
    refetchInterval: live ? LIVE_MS : false,
    gcTime: 0,
    structuralSharing: false, // it would lose a property called `__proto__`
  });
  const { refetch } = pages;
  /** Keeps only the first page: the others are loaded again when they are reached. */
  const refresh = useCallback(() => {
    client.setQueryData<Pages>(queryKey, (known) =>
      known === undefined ? known : { pages: known.pages.slice(0, 1), pageParams: [null] },
    );
    void refetch();
  }, [client, queryKey, refetch]);
  const response = head.data;
  useEffect(() => {
    const known = client.getQueryData<Pages>(queryKey);
    if (response === undefined || known === undefined) return;
    const joined = withHead(known, response);
    if (joined === undefined) refresh();
    else if (joined !== known) client.setQueryData<Pages>(queryKey, joined);
  }, [client, queryKey, refresh, response]);
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data]);
  return {
    ...pages,
    rows,
    refresh,
    searchedTo: pages.data?.pages.at(-1)?.searched_to,
    warning: pages.data?.pages[0]?.warning,
    liveError: live ? head.error : null,
  };
}

/** Rows at the head that are checked for requests still in flight. */
const WATCHED_ROWS = 200;
/** How late a record may arrive after one that began later. */
const LATE_MS = 30_000;

/** The time since which rows may still change or arrive: older ones need not be loaded again each time. */
function changingSince(known: Pages | undefined): string | undefined {
  const rows = known?.pages.flatMap((page) => page.data).slice(0, WATCHED_ROWS) ?? [];
  const [newest] = rows;
  if (newest === undefined) return undefined;
  const inFlight = rows.filter((row) => row.response_status === null).map((row) => Date.parse(row.request_created_at));
  return new Date(Math.min(Date.parse(newest.request_created_at) - LATE_MS, ...inFlight)).toISOString();
}

interface Counting {
  readonly live: boolean;
  /** Whether the rows are loaded: they come first, because a count may use as much CPU. */
  readonly hasRows: boolean;
}

/** The number of requests; undefined while it is being counted. */
export function useRequestCount({ filter, isInParts }: RequestsQuestion, { live, hasRows }: Counting) {
  const { data } = useQuery({
    queryKey: ["requests-count", filter],
    queryFn: ({ signal }) => post<number>("/v1/request/count/query", { filter }, signal),
    enabled: !isInParts && hasRows,
    staleTime: 10_000,
    refetchInterval: live ? 5_000 : false,
  });
  return isInParts ? undefined : data;
}
