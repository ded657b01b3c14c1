import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { isUnreadable } from "../../filter/address.ts";
import { type FilterGroup, fromTree, toTree } from "../../filter/model.ts";
import { and } from "../../filter/tree.ts";
import { useAsked } from "../../palette/asked.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { Page } from "../../parts/page.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { Builder } from "./builder.tsx";
import { BulkBar } from "./bulk/bulk-bar.tsx";
import { useSelection } from "./bulk/use-selection.ts";
import { moved, resized } from "./column-choice.ts";
import { ColumnsMenu } from "./columns-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FirstRequest } from "./first-request.tsx";
import { LIST_KEYS } from "./key-list.ts";
import { marksOf } from "./marks.tsx";
import { rememberSearch } from "./place.ts";
import { questionOf, type RequestsQuestion, useRequestCount, useRequests } from "./query.ts";
import { RefusedBanner } from "./refused-banner.tsx";
import { hasRoomBeside, usePageInstead } from "./room-beside.ts";
import type { RequestsSearch } from "./search.ts";
import { Named, SearchStatus } from "./search-status.tsx";
import { RequestsTable } from "./table.tsx";
import { useSearching } from "./use-searching.ts";
import { useColumns } from "./views/use-columns.ts";
import { viewsQuery } from "./views/views.ts";
import { ViewsMenu } from "./views/views-menu.tsx";

const route = getRouteApi("/requests");

const asideCode = () => import("./list-aside.tsx");
const Facets = lazy(async () => ({ default: (await asideCode()).Facets }));
const Histogram = lazy(async () => ({ default: (await asideCode()).Histogram }));
const DownloadDialog = lazy(async () => ({ default: (await import("./download/download-dialog.tsx")).DownloadDialog }));
const panelCode = () => import("./panel.tsx");
const ListPanel = lazy(async () => ({ default: (await panelCode()).ListPanel }));
/** How long after the rows the panel's code is loaded, so that the panel opens immediately, even while the service is unavailable. */
const IDLE_MS = 1_500;

export function RequestsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  if (!isUnreadable(search.filter)) return <ReadRequests />;
  return (
    <Page title="Requests">
      <BrokenLink onClear={() => void navigate({ to: "/requests", search: { ...search, filter: undefined } })} />
    </Page>
  );
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the page: its state, its keys and its layout
function ReadRequests() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const set = useCallback(
    (part: Partial<RequestsSearch>) => void navigate({ to: "/requests", search: { ...search, ...part } }),
    [navigate, search],
  );
  const { filter: tree, range, from, to, sort, q } = search;
  const question = useMemo(
    () => questionOf({ filter: tree, range, from, to, sort, q }),
    [tree, range, from, to, sort, q],
  );
  const filter = useMemo(() => fromTree(tree), [tree]);
  const setFilter = (next: FilterGroup) => {
    const wanted = toTree(next);
    set({ filter: wanted === "all" ? undefined : wanted });
  };
  const [isEditing, setEditing] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const [isDownloading, setDownloading] = useState(false);
  const value = useRef<HTMLInputElement>(null);
  const words = useRef<HTMLInputElement>(null);
  const list = useList(search, question);
  useEffect(() => rememberSearch(search, question), [search, question]);
  useEffect(() => {
    const timer = setTimeout(() => void panelCode().catch(() => {}), IDLE_MS); // opening the panel tries again
    return () => clearTimeout(timer);
  }, []);
  const [hasFacets, setFacets] = useFacetsOpen();
  const { open } = search;
  usePageInstead(open);
  const onOpen = useCallback(
    (id: string) => {
      if (!hasRoomBeside()) return void navigate({ to: "/requests/$id", params: { id } });
      // "Back" closes the panel, however many requests it has shown.
      void navigate({ to: "/requests", search: (now) => ({ ...now, open: id }), replace: open !== undefined });
    },
    [navigate, open],
  );
  useKeys({
    s: () => words.current?.focus(),
    "/": () => value.current?.focus(),
    "?": () => setHelping(true),
    b: () => setEditing(!isEditing),
    l: () => list.canBeLive && set({ live: search.live ? undefined : true }),
    r: list.refresh,
    f: () => setFacets(!hasFacets),
  });
  useAsked({
    download: () => setDownloading(true),
    builder: () => setEditing(true),
    keys: () => setHelping(true),
    live: () => list.canBeLive && set({ live: search.live ? undefined : true }),
  });
  // A query in parts cannot be counted in time, and before the first request there is nothing to count.
  const isCounted = !question.isInParts && !list.isFirstStart && list.data !== undefined;
  const isLive = search.live === true && list.canBeLive;
  return (
    <Page
      title="Requests"
      filled
      actions={
        <>
          <span className="count-of" role="status">
            {list.count === undefined ? "" : `${formatCount(list.count)} ${list.count === 1 ? "request" : "requests"}`}
          </span>
          <LiveButton
            list={list}
            isOn={search.live === true}
            onChange={(live) => set({ live: live ? true : undefined })}
          />
          <TimeRangeMenu
            value={search}
            onChange={(time) => set({ range: undefined, from: undefined, to: undefined, ...time })}
          />
          <button
            type="button"
            className="facets-button"
            aria-pressed={hasFacets}
            title="Values with their numbers (f)"
            onClick={() => setFacets(!hasFacets)}
          >
            <Icon name="tag" />
            Values
          </button>
          <ColumnsMenu choices={list.columns} onChange={list.setColumns} rows={list.rows} />
          <ViewsMenu search={search} columns={list.columns} view={list.view} />
          <button type="button" onClick={() => setDownloading(true)}>
            <Icon name="download" />
            Download
          </button>
          <button type="button" className="quiet" aria-label="Keys" onClick={() => setHelping(true)}>
            <Icon name="help" />
          </button>
        </>
      }
    >
      <FilterBar
        search={q ?? ""}
        onSearch={(text) => set({ q: text.trim() === "" ? undefined : text, live: undefined })}
        searchRef={words}
        filter={filter}
        onChange={setFilter}
        isEditing={isEditing}
        onEdit={() => setEditing(!isEditing)}
        valueRef={value}
      />
      {question.isInParts ? (
        <div className="search-line">
          <SearchStatus {...list.searching} />
          {q === undefined ? null : (
            <Named
              text={q.trim()}
              onFilter={(named) => set({ q: undefined, filter: and(question.ownFilter, named) })}
            />
          )}
        </div>
      ) : null}
      {list.data === undefined ? null : <RefusedBanner />}
      {isEditing ? <Builder filter={filter} onChange={setFilter} question={question} /> : null}
      {isCounted ? (
        <Suspense fallback={<div className="histogram" />}>
          <Histogram
            search={search}
            question={question}
            live={isLive}
            onSelect={(span) => set({ range: undefined, ...span, live: undefined })}
          />
        </Suspense>
      ) : null}
      <div className="requests-body">
        {isCounted && hasFacets ? (
          <Suspense fallback={<aside className="facets" />}>
            <Facets filter={filter} onChange={setFilter} question={question} live={isLive} />
          </Suspense>
        ) : null}
        <List
          list={list}
          search={search}
          question={question}
          onSort={(next) => set({ sort: next, live: undefined })}
          onOpen={onOpen}
        />
        {open === undefined ? null : (
          <Suspense fallback={<section className="request-panel panel" aria-busy="true" />}>
            <ListPanel id={open} question={question} onOpen={onOpen} onClose={() => set({ open: undefined })} />
          </Suspense>
        )}
      </div>
      {isDownloading ? (
        <Suspense fallback={null}>
          <DownloadDialog
            question={question}
            choices={list.columns}
            count={list.count}
            onClose={() => setDownloading(false)}
          />
        </Suspense>
      ) : null}
      {isHelping ? <KeyHelp keys={LIST_KEYS} onClose={() => setHelping(false)} /> : null}
    </Page>
  );
}

const FACETS_STORED = "weir.facets-open";
/** On narrower screens the list needs the space, unless the user chooses otherwise. */
const FACETS_SCREEN = "(min-width: 1240px)";

/** Whether the facets are shown beside the list. */
function useFacetsOpen() {
  const [isOpen, setOpen] = useState(() => {
    const stored = localStorage.getItem(FACETS_STORED);
    return stored === null ? matchMedia(FACETS_SCREEN).matches : stored === "yes";
  });
  const set = (next: boolean) => {
    localStorage.setItem(FACETS_STORED, next ? "yes" : "no");
    setOpen(next);
  };
  return [isOpen, set] as const;
}

type ListState = ReturnType<typeof useList>;

/** The state of the rows: which, how many, which columns, and whether they update live. */
function useList(search: RequestsSearch, question: ReturnType<typeof questionOf>) {
  const views = useQuery({ ...viewsQuery, enabled: search.view !== undefined });
  const view = views.data?.find(({ id }) => id === search.view);
  const choices = useColumns(view);
  const isNewestFirst = search.sort === undefined || search.sort === "created_at.desc";
  const canBeLive = isNewestFirst && search.to === undefined && search.q === undefined;
  const isUnasked = question.filter === "all" && search.q === undefined;
  const [isFirstStart, setFirstStart] = useState(false);
  const requests = useRequests(question, (search.live === true && canBeLive) || isFirstStart);
  const isEmpty = requests.data !== undefined && requests.rows.length === 0;
  if (isFirstStart !== (isEmpty && isUnasked)) setFirstStart(isEmpty && isUnasked);
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

interface LiveButtonProps {
  readonly list: ListState;
  readonly isOn: boolean;
  readonly onChange: (live: boolean) => void;
}

function LiveButton({ list, isOn, onChange }: LiveButtonProps) {
  const why = list.canBeLive ? undefined : "Live needs the newest first, a time range that ends now, and no search.";
  const isLive = isOn && list.canBeLive;
  return (
    <button
      type="button"
      aria-pressed={isLive}
      aria-disabled={why === undefined ? undefined : true}
      title={why ?? (list.liveError === null ? "New requests appear automatically" : list.liveError.message)}
      onClick={() => why === undefined && onChange(!isLive)}
    >
      <span className={isLive ? (list.liveError === null ? "pulse" : "pulse pulse-bad") : "pulse pulse-off"} />
      Live
    </button>
  );
}

interface ListProps {
  readonly list: ListState;
  readonly question: RequestsQuestion;
  readonly search: RequestsSearch;
  readonly onSort: (sort: string | undefined) => void;
  readonly onOpen: (id: string) => void;
}

function List({ list, search, question, onSort, onOpen }: ListProps) {
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
            : "Only the new messages of a turn are searched. To search everything that was sent, use the filter “Request body contains”.")}
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
      />
    </>
  );
}
