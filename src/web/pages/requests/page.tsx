import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { isUnreadable } from "../../filter/address.ts";
import { type FilterGroup, fromTree, toTree } from "../../filter/model.ts";
import { and } from "../../filter/tree.ts";
import { useListActions } from "../../palette/list-actions.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { formatCounted } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { Page } from "../../parts/page.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { RefusedHosts } from "../domains/refused-hosts.tsx";
import { Builder } from "./builder.tsx";
import { ColumnsMenu } from "./columns-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { LIST_KEYS } from "./key-list.ts";
import { List } from "./list.tsx";
import { rememberSearch } from "./place.ts";
import { questionOf } from "./query.ts";
import { hasRoomBeside, usePageInstead } from "./room-beside.ts";
import type { RequestsSearch } from "./search.ts";
import { Named, SearchStatus } from "./search-status.tsx";
import { type ListState, useList } from "./use-list.ts";
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
  const setFilter = useCallback(
    (next: FilterGroup) => {
      const wanted = toTree(next);
      set({ filter: wanted === "all" ? undefined : wanted });
    },
    [set],
  );
  const onSearch = useCallback(
    (text: string) => set({ q: text.trim() === "" ? undefined : text, live: undefined }),
    [set],
  );
  const onSelectTime = useCallback(
    (span: { readonly from: string; readonly to: string }) => set({ range: undefined, ...span, live: undefined }),
    [set],
  );
  const [isEditing, setEditing] = useState(false);
  const onEdit = useCallback(() => setEditing((now) => !now), []);
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
    b: onEdit,
    l: () => list.canBeLive && set({ live: search.live ? undefined : true }),
    r: list.refresh,
    f: () => setFacets(!hasFacets),
  });
  useListActions({
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
            {list.count === undefined ? "" : formatCounted(list.count, "request")}
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
          <FacetsButton isOn={hasFacets} isCountable={!question.isInParts} onChange={setFacets} />
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
        onSearch={onSearch}
        searchRef={words}
        filter={filter}
        onChange={setFilter}
        isEditing={isEditing}
        onEdit={onEdit}
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
      {list.data === undefined ? null : <RefusedHosts />}
      {isEditing ? <Builder filter={filter} onChange={setFilter} question={question} /> : null}
      {isCounted ? (
        <Suspense fallback={<div className="histogram" />}>
          <Histogram search={search} question={question} live={isLive} onSelect={onSelectTime} />
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

interface FacetsButtonProps {
  readonly isOn: boolean;
  /** Whether the API can count the requests of the list. */
  readonly isCountable: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function FacetsButton({ isOn, isCountable, onChange }: FacetsButtonProps) {
  return (
    <button
      type="button"
      className="facets-button"
      aria-pressed={isOn && isCountable}
      aria-disabled={isCountable ? undefined : true}
      title={
        isCountable
          ? "Count requests by status, model, user and more (f)"
          : "Facets need a list without a search and without a filter on bodies."
      }
      onClick={() => isCountable && onChange(!isOn)}
    >
      <Icon name="tag" />
      Facets
    </button>
  );
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
