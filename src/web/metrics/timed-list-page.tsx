import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { call, post } from "../api.ts";
import { TableDownload } from "../download/table-download.tsx";
import { isUnreadable } from "../filter/address.ts";
import { FilterConditions } from "../filter/filter-conditions.tsx";
import { and, type FilterTree } from "../filter/tree.ts";
import { BrokenLink } from "../parts/broken-link.tsx";
import type { Column, Sorted } from "../parts/data-table.tsx";
import { formatTime } from "../parts/format.ts";
import { isTyping, readSorted, sortBody } from "../parts/list-search.ts";
import { ListStates } from "../parts/list-states.tsx";
import { Page } from "../parts/page.tsx";
import { PAGE_ROWS, PagedTable } from "../parts/paged-table.tsx";
import { PastEnd } from "../parts/pager.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Loading } from "../parts/states.tsx";
import { TimeRangeMenu } from "../parts/time-range-menu.tsx";
import type { TimedListSearch } from "../parts/timed-list-search.ts";
import { within } from "./filter.ts";
import type { Span } from "./range.ts";
import { ScopedSearch } from "./scoped-search.tsx";
import { useSpan } from "./use-span.ts";

const FALLBACK = "30d";

/** The subject of a list; each row stands for all requests with the same value. */
interface Listed<T> {
  readonly title: string;
  readonly about: string;
  /** The API's path, which takes `filter`, `sort`, `limit` and `offset`. */
  readonly path: string;
  /** More members of the request. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly searchLabel: string;
  /** Whether rows can also be found by words in contents. */
  readonly hasWords?: boolean;
  /** What a filter selects, for screen readers. */
  readonly filterLabel: string;
  /** The requests of the rows that a search finds. */
  readonly found: (text: string) => FilterTree;
  /** The default order. */
  readonly order: Sorted;
  readonly columns: (span: Span) => readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** Texts for a time without rows, and for a search without hits. */
  readonly none: ReactNode;
  readonly notFound: ReactNode;
}

interface TimedListPageProps<T> {
  readonly of: Listed<T>;
  readonly search: TimedListSearch;
  /** @param replace - whether to replace the history entry of the previous search. */
  readonly onSearch: (search: TimedListSearch, replace: boolean) => void;
}

/** A page of a list over a time; the API filters, sorts and pages it. */
export function TimedListPage<T extends object>({ of, search, onSearch }: TimedListPageProps<T>) {
  const { q, words, sort, filter, page, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const change = (part: Partial<TimedListSearch>) => {
    const next = { ...search, page: undefined, ...part };
    onSearch(next, isTyping(search, next));
  };
  return (
    <Page
      title={of.title}
      about={of.about}
      actions={
        <>
          {of.hasWords === true ? (
            <ScopedSearch label={of.searchLabel} q={q} words={words} onSearch={change} />
          ) : (
            <SearchBox label={of.searchLabel} value={q ?? ""} onSearch={(text) => change({ q: text || undefined })} />
          )}
          <TimeRangeMenu
            value={time}
            fallback={FALLBACK}
            onChange={(next) => onSearch({ q, words, sort, filter, ...next }, false)}
          />
          {span === undefined || isUnreadable(filter) ? null : (
            <TableDownload name={of.title.toLowerCase()} ask={() => allRows(of, queryOf(of, span, search).body)} />
          )}
        </>
      }
    >
      {isUnreadable(filter) ? (
        <BrokenLink onClear={() => change({ filter: undefined })} />
      ) : (
        <>
          <FilterConditions
            label={of.filterLabel}
            tree={filter}
            onChange={(tree) => change({ filter: tree === "all" ? undefined : tree })}
          />
          {span === undefined ? <Loading /> : <Rows of={of} span={span} search={search} onChange={change} />}
        </>
      )}
    </Page>
  );
}

/** The members of the request, except for the page. */
function queryOf<T>(of: Listed<T>, { from, to }: Span, { q, words, sort, filter }: Omit<TimedListSearch, "page">) {
  const columns = of.columns({ from, to });
  const sortable = columns.filter(({ value }) => value !== undefined).map(({ id }) => id);
  const sorted = readSorted(sort, sortable, of.order);
  const tree = and(within({ from, to }), filter as FilterTree | undefined, q === undefined ? undefined : of.found(q));
  const search = of.hasWords && words !== undefined ? { search: words } : {};
  return { columns, sorted, body: { filter: tree, sort: sortBody(sorted), ...search, ...of.more } };
}

/** Rows per call of a download. */
const DOWNLOAD_ROWS = 1_000;

async function allRows<T extends object>({ path }: Listed<T>, body: object): Promise<readonly T[]> {
  const rows: T[] = [];
  for (;;) {
    const part = await post<readonly T[]>(path, { ...body, limit: DOWNLOAD_ROWS, offset: rows.length });
    rows.push(...part);
    if (part.length < DOWNLOAD_ROWS) return rows;
  }
}

interface RowsProps<T> {
  readonly of: Listed<T>;
  readonly span: Span;
  readonly search: TimedListSearch;
  readonly onChange: (next: Partial<TimedListSearch>) => void;
}

function Rows<T extends object>({ of, span: { from, to }, search, onChange }: RowsProps<T>) {
  const { q, words, sort, filter, page = 1 } = search;
  const {
    columns,
    sorted,
    body: query,
  } = useMemo(() => queryOf(of, { from, to }, { q, words, sort, filter }), [of, from, to, q, words, sort, filter]);
  const isNarrowed = q !== undefined || words !== undefined || filter !== undefined;
  const body = { ...query, limit: PAGE_ROWS + 1, offset: (page - 1) * PAGE_ROWS };
  const { data, error, refetch } = useQuery({
    queryKey: [of.path, body],
    queryFn: ({ signal }) => call<readonly T[]>("POST", of.path, { body, signal }),
    placeholderData: keepPreviousData,
  });
  const searchedTo = words === undefined ? undefined : data?.searched_to;
  const list = (
    <ListStates
      rows={data?.data}
      error={error}
      onRetry={() => void refetch()}
      empty={page > 1 ? <PastEnd onFirst={() => onChange({ page: undefined })} /> : isNarrowed ? of.notFound : of.none}
    >
      {(rows) => (
        <PagedTable
          label={of.title}
          rows={rows}
          columns={columns}
          rowKey={of.rowKey}
          sort={sorted}
          page={page}
          onChange={onChange}
        />
      )}
    </ListStates>
  );
  return (
    <>
      {searchedTo ? (
        <p className="search-status" role="status">
          Searched back to {formatTime(searchedTo)}: earlier matches are not listed. Choose an earlier time to find
          them.
        </p>
      ) : null}
      {list}
    </>
  );
}
