import {
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  sortFn_basic,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type PointerEvent, type ReactNode, useMemo, useState } from "react";
import { formatCount } from "./format.ts";
import { SortHeader } from "./sort-header.tsx";

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
});

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** The sort key; without it the column cannot be sorted. Unknown values come last in either order. */
  readonly value?: (row: T) => string | number | null | undefined;
  /** Set for numbers, which are aligned to the end. */
  readonly align?: "end";
}

interface DataTableProps<T> {
  /** What the table holds, for screen readers. */
  readonly label: string;
  readonly rows: readonly T[];
  /** Must be the same array in each render: declared outside of the component, or memoized. */
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** Whether texts take several lines rather than more width, for a table with many columns. */
  readonly wraps?: boolean;
  /** The order and its change handler, if the API sorts. */
  readonly sort?: Sorted | undefined;
  readonly onSort?: (sort: Sorted) => void;
}

export interface Sorted {
  readonly id: string;
  readonly desc: boolean;
}

/** Rows in the page at first, and with each press of the button. */
const ROWS_AT_ONCE = 500;

/** A table with its first rows, and a button for more. The table of requests, which has millions, is virtual. */
export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { label, rows, columns, rowKey, wraps, sort, onSort } = props;
  const [own, setOwn] = useState<SortingState>([]);
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const data = useMemo(() => [...rows], [rows]);
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.header,
        accessorFn: (row: T) => column.value?.(row) ?? undefined,
        enableSorting: column.value !== undefined,
        sortFn: "basic" as const,
        sortUndefined: "last" as const,
      })),
    [columns],
  );
  const isOurs = onSort === undefined;
  const sorting = useMemo<SortingState>(() => (isOurs ? own : sort === undefined ? [] : [sort]), [isOurs, own, sort]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    state: { sorting },
    onSortingChange: setOwn,
    manualSorting: !isOurs,
    getRowId: (row: T) => rowKey(row),
  });
  const byId = new Map(columns.map((column) => [column.id, column]));
  const change = (id: string) => {
    const [now] = sorting;
    const next = { id, desc: now?.id === id ? !now.desc : byId.get(id)?.align === "end" };
    if (onSort === undefined) setOwn([next]);
    else onSort(next);
  };
  // A scrollable area must be reachable by key: a sortable head already is.
  const reach = columns.some(({ value }) => value !== undefined)
    ? {}
    : { role: "group", tabIndex: 0, "aria-label": label };
  return (
    <div className="table-scroller" {...reach}>
      <table className={wraps === true ? "table in-lines" : "table"} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <SortHeader
                key={column.id}
                label={column.header}
                end={column.align === "end"}
                sorted={sorting[0]?.id === column.id ? (sorting[0].desc ? "descending" : "ascending") : undefined}
                {...(column.value === undefined ? {} : { onSort: () => change(column.id) })}
              />
            ))}
          </tr>
        </thead>
        <tbody onPointerOver={showWhole}>
          {table
            .getRowModel()
            .rows.slice(0, shown)
            .map((row) => (
              <tr key={row.id}>
                {columns.map((column) => (
                  <td key={column.id} {...(column.align === "end" ? { className: "end" } : { dir: "auto" })}>
                    {column.cell(row.original)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
      {rows.length <= shown ? null : (
        <button type="button" className="small table-more" onClick={() => setShown(shown + ROWS_AT_ONCE)}>
          Show more: {formatCount(shown)} of {formatCount(rows.length)} rows are shown
        </button>
      )}
    </div>
  );
}

/** Shows the full text of a truncated cell as a tooltip. */
function showWhole({ target }: PointerEvent<HTMLElement>): void {
  const cell = target instanceof Element ? target.closest("td") : null;
  if (cell === null) return;
  const isCut = [cell, ...cell.children].some((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth);
  cell.title = isCut ? cell.textContent : "";
}
