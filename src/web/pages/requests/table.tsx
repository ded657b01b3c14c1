import {
  type CSSProperties,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";
import { UNKNOWN } from "../../parts/format.ts";
import { useKeys } from "../../parts/shortcuts.ts";
import type { Selection } from "./bulk/use-selection.ts";
import type { Choices } from "./column-choice.ts";
import { ColumnHead, type HeadEvents, useHeadNews } from "./column-head.tsx";
import { columnOf, type RequestColumn, type RequestRow } from "./columns.tsx";
import { type Place, placeOf, rememberPlace } from "./place.ts";
import { bringIntoView, useRowsInView } from "./use-rows-in-view.ts";

const ROW_PX = 34;
const HEAD_PX = 34;
/** How many rows before the end the next page is requested: more once the list scrolls, so that it need not wait. */
const AHEAD_ROWS = 40;
const AHEAD_ROWS_SCROLLED = 200;
const PAGE_ROWS = 15;
/** The checkboxes before the columns. */
const CHECK_PX = 36;

interface RequestsTableProps {
  readonly rows: readonly RequestRow[];
  readonly columns: Choices;
  readonly headEvents: HeadEvents;
  /** The total number of rows, if known. */
  readonly count: number | undefined;
  readonly sort: { readonly key: string; readonly direction: "asc" | "desc" };
  /** Missing if the order is fixed. */
  readonly onSort: ((key: string) => void) | undefined;
  /** Search words to highlight. */
  readonly marks: RegExp | undefined;
  readonly onEnd: () => void;
  readonly onOpen: (id: string) => void;
  /** The request that is open beside the list. */
  readonly openId: string | undefined;
  readonly selection: Selection;
  /** Below the last row: whether more rows follow. */
  readonly foot: ReactNode;
  /** Identifies the list, to restore its scroll position. */
  readonly listKey: string;
}

const isTime = ({ id }: RequestColumn) => id === "time";
/** Whether the column may be the one text of a plain row: the first is. */
const isMainText = ({ cut }: RequestColumn) => cut === true;
/** The grid column, after that of the checkboxes. */
const trackOf = (columns: readonly RequestColumn[], is: (column: RequestColumn) => boolean) =>
  columns.findIndex(is) + 2;

/** A table of any number of requests; only the visible rows are in the page. */
export function RequestsTable(props: RequestsTableProps) {
  const { rows, columns, headEvents, count, sort, onSort, marks, onEnd, onOpen, openId, selection, foot, listKey } =
    props;
  const scroller = useRef<HTMLDivElement>(null);
  // Rows do not depend on widths, so these stay the same while one is resized.
  const ids = JSON.stringify(columns.map(({ id }) => id));
  const shown = useMemo(() => (JSON.parse(ids) as string[]).map((id) => columnOf(id)!), [ids]);
  const { news, ...heads } = useHeadNews(
    scroller,
    headEvents,
    shown.map(({ header }) => header),
  );
  const place = useMemo(() => placeOf(listKey), [listKey]);
  useReading(scroller, rows, place);
  // A stable function: a row is rendered again only when its own state changes.
  const chooses = useRef(selection.toggle);
  chooses.current = selection.toggle;
  const onChoose = useCallback((id: string, toAnother: boolean) => chooses.current(id, toAnother), []);
  useKeys({ x: () => place.active !== undefined && selection.toggle(place.active, false) });
  const scrollTo = (index: number) => bringIntoView(scroller.current!, index, { rowPx: ROW_PX, headPx: HEAD_PX });
  const focusRow = useRowKeys({ scroller, rows, place, openId, scrollTo });
  const width = shown.reduce((sum, column, at) => sum + (columns[at]!.width ?? column.width), CHECK_PX);
  // Columns without a chosen width share the remaining space in proportion.
  const tracks = shown
    .map(({ width: own }, at) =>
      columns[at]!.width === undefined ? `minmax(${own}px, ${own}fr)` : `${columns[at]!.width}px`,
    )
    .join(" ");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stores the scroll position; rows are reachable by their links
    <div
      className="table-scroller requests-scroller"
      ref={scroller}
      onScroll={(event) => rememberPlace(listKey, { offset: event.currentTarget.scrollTop })}
      onFocus={(event) => {
        const row = event.target.closest<HTMLElement>("tr[data-id]");
        if (row !== null) focusRow(row.dataset["id"]!);
      }}
    >
      <table
        className="requests-table"
        aria-label="Requests"
        aria-rowcount={count === undefined ? -1 : count + 1}
        style={
          {
            minWidth: width,
            "--columns": `${CHECK_PX}px ${tracks}`,
            "--time-track": trackOf(shown, isTime),
            "--text-track": trackOf(shown, isMainText),
          } as CSSProperties
        }
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className="row-check">
              <HeadCheck rows={rows} selection={selection} />
            </th>
            {shown.map((column, at) => (
              <ColumnHead
                key={column.id}
                column={column}
                at={at}
                sorted={
                  column.sort === undefined || column.sort !== sort.key
                    ? undefined
                    : sort.direction === "desc"
                      ? "descending"
                      : "ascending"
                }
                onSort={column.sort === undefined || onSort === undefined ? undefined : () => onSort(column.sort!)}
                {...heads}
              />
            ))}
          </tr>
        </thead>
        <Rows
          {...{ scroller, rows, marks, openId, selection, onOpen, onChoose, onEnd }}
          columns={shown}
          offsetPx={place.offset}
        />
      </table>
      <div className="requests-foot">{foot}</div>
      <span className="unseen" role="status">
        {news}
      </span>
    </div>
  );
}

type RowsProps = Pick<RequestsTableProps, "rows" | "marks" | "openId" | "selection" | "onOpen" | "onEnd"> &
  Pick<RowProps, "columns" | "onChoose"> & {
    readonly scroller: React.RefObject<HTMLDivElement | null>;
    readonly offsetPx: number;
  };

/**
 * The visible rows. Separate from the head, which a scroll does not affect. The space of the rows before them is one padding:
 * a style of its own for each row would make the browser's style calculation slower with each row that has been shown.
 */
function Rows({ scroller, rows, columns, marks, openId, selection, onOpen, onChoose, onEnd, offsetPx }: RowsProps) {
  const { first, end, plain } = useRowsInView(scroller, { count: rows.length, rowPx: ROW_PX, offsetPx });
  useEffect(() => {
    const ahead = first === 0 ? AHEAD_ROWS : AHEAD_ROWS_SCROLLED;
    if (rows.length > 0 && end > rows.length - ahead) onEnd();
  }, [first, end, rows.length, onEnd]);
  return (
    <tbody style={{ height: rows.length * ROW_PX, paddingBlockStart: first * ROW_PX }}>
      {rows.slice(first, end).map((row, at) => (
        <Row
          key={row.request_id}
          row={row}
          index={first + at}
          columns={columns}
          isPlain={plain.has(first + at)}
          marks={marks}
          isOpen={row.request_id === openId}
          isChosen={selection.isAll || selection.ids.has(row.request_id)}
          onOpen={onOpen}
          onChoose={onChoose}
        />
      ))}
    </tbody>
  );
}

interface RowProps {
  readonly row: RequestRow;
  readonly index: number;
  readonly columns: readonly RequestColumn[];
  /** Only its link and one text: see `useRowsInView`. */
  readonly isPlain: boolean;
  readonly marks: RegExp | undefined;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly onOpen: (id: string) => void;
  readonly onChoose: (id: string, toAnother: boolean) => void;
}

/** Rendered once, not with each scroll step: adding or removing a row moves no other. */
const Row = memo(({ row, index, columns, isPlain, marks, isOpen, isChosen, onOpen, onChoose }: RowProps) => {
  const failed = row.response_status !== null && row.response_status >= 400;
  const mainText = columns.find(isMainText);
  return (
    <tr
      aria-rowindex={index + 2}
      data-id={row.request_id}
      data-failed={failed}
      data-open={isOpen || undefined}
      data-chosen={isChosen || undefined}
      onClick={(event) => {
        const isUnmodified = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0;
        const isSelecting = (window.getSelection()?.toString() ?? "") !== "";
        if (!isUnmodified || isSelecting) return;
        event.preventDefault();
        onOpen(row.request_id);
      }}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the checkbox must not open the row; the checkbox handles keys */}
      <td className="row-check" onClick={(event) => event.stopPropagation()}>
        {isPlain ? null : (
          <input
            type="checkbox"
            aria-label="Select"
            tabIndex={-1}
            checked={isChosen}
            onChange={(event) => onChoose(row.request_id, (event.nativeEvent as MouseEvent).shiftKey === true)}
          />
        )}
      </td>
      {columns.map((column) => {
        const place = !isPlain ? "" : isTime(column) ? "plain-time" : column === mainText ? "plain-text" : undefined;
        return place === undefined ? null : <Cell key={column.id} {...{ column, row, marks, place }} />;
      })}
    </tr>
  );
});

interface CellProps extends Pick<RowProps, "row" | "marks"> {
  readonly column: RequestColumn;
  /** The class that puts it at its place if cells before it are left out, else empty. */
  readonly place: string;
}

function Cell({ column: { end, cut, cell, title }, row, marks, place }: CellProps) {
  const content = cell(row, marks);
  const classes = [end && "end", cut && "cut", content === UNKNOWN && "unknown", place];
  return (
    // A truncated text keeps its beginning, also if that is at the right.
    <td className={classes.filter(Boolean).join(" ")} title={title?.(row)} dir={cut === true ? "auto" : undefined}>
      {content}
    </td>
  );
}

/** Selects every loaded row, or none. */
function HeadCheck({ rows, selection }: Pick<RequestsTableProps, "rows" | "selection">) {
  const isWhole = selection.isAll || (rows.length > 0 && selection.ids.size >= rows.length);
  return (
    <input
      type="checkbox"
      aria-label="Select all loaded"
      checked={isWhole}
      ref={(box) => {
        if (box !== null) box.indeterminate = !isWhole && selection.ids.size > 0;
      }}
      onChange={() => (isWhole ? selection.clear() : selection.choose(rows.map(({ request_id }) => request_id)))}
    />
  );
}

/** Keeps the visible rows in place for a user who has scrolled down, while new rows arrive above. */
function useReading(scroller: React.RefObject<HTMLDivElement | null>, rows: readonly RequestRow[], place: Place): void {
  const first = useRef<string>(undefined);
  useLayoutEffect(() => {
    const before = first.current;
    first.current = rows[0]?.request_id;
    if (before === undefined || before === first.current || scroller.current === null) return;
    const added = rows.findIndex((row) => row.request_id === before);
    if (added > 0 && scroller.current.scrollTop > ROW_PX) scroller.current.scrollTop += added * ROW_PX;
  }, [rows, scroller]);
  useLayoutEffect(() => {
    if (place.offset > 0 && scroller.current !== null) scroller.current.scrollTop = place.offset;
  }, [place, scroller]);
}

interface RowKeys {
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly rows: readonly RequestRow[];
  readonly place: Place;
  readonly openId: string | undefined;
  readonly scrollTo: (index: number) => void;
}

/** Keyboard navigation: moves the focus from row to row. @returns a function to call when a row gets the focus otherwise. */
function useRowKeys({ scroller, rows, place, openId, scrollTo }: RowKeys): (id: string) => void {
  const focus = (id: string, tries = 10): void => {
    const link = scroller.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"] a`);
    if (link) link.focus({ preventScroll: true });
    // The row may have to be rendered first.
    else if (tries > 0) requestAnimationFrame(() => focus(id, tries - 1));
  };
  const moveBy = (by: number) => {
    const at = rows.findIndex((row) => row.request_id === place.active);
    const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
    const id = rows[next]?.request_id;
    if (id === undefined) return;
    place.active = id;
    scrollTo(next);
    focus(id);
  };
  // In the panel these keys scroll it.
  const inList = (by: number) => (event: KeyboardEvent) =>
    event.target instanceof Element && event.target.closest(".request-panel") !== null ? "unused" : moveBy(by);
  useKeys({
    ...(openId === undefined ? { j: () => moveBy(1), k: () => moveBy(-1) } : {}),
    ArrowDown: inList(1),
    ArrowUp: inList(-1),
    PageDown: inList(PAGE_ROWS),
    PageUp: inList(-PAGE_ROWS),
    Home: inList(Number.NEGATIVE_INFINITY),
    End: inList(Number.POSITIVE_INFINITY),
  });
  const goTo = (id: string) => {
    const at = rows.findIndex((row) => row.request_id === id);
    if (at !== -1) scrollTo(at);
    focus(id);
  };
  const begin = useRef(goTo);
  begin.current = goTo;
  useEffect(() => {
    if (place.active !== undefined) begin.current(place.active);
  }, [place]);
  // The row of the open request stays visible; it gets the focus back when the request closes.
  const opened = useRef(openId);
  useEffect(() => {
    const before = opened.current;
    opened.current = openId;
    if (openId !== undefined) {
      place.active = openId;
      const at = rows.findIndex((row) => row.request_id === openId);
      if (at !== -1) scrollTo(at);
    } else if (before !== undefined) begin.current(before);
  }, [openId]);
  return (id) => {
    place.active = id;
  };
}
