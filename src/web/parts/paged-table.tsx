import { type Column, DataTable, type Sorted } from "./data-table.tsx";
import { sortText } from "./list-search.ts";
import { Pager } from "./pager.tsx";

/** Rows of one page; lists request one more, to know whether there is another page. */
export const PAGE_ROWS = 50;

interface PagedTableProps<T extends object> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  readonly sort: Sorted | undefined;
  readonly page: number;
  /** Called with the changed members of the address: another page, or another order, which starts at the first page. */
  readonly onChange: (next: { readonly sort?: string; readonly page?: number | undefined }) => void;
}

/** One page of a list that the API sorts and pages. */
export function PagedTable<T extends object>({ rows, page, onChange, ...table }: PagedTableProps<T>) {
  return (
    <>
      <DataTable {...table} rows={rows.slice(0, PAGE_ROWS)} onSort={(next) => onChange({ sort: sortText(next) })} />
      <Pager
        page={page}
        pageRows={PAGE_ROWS}
        rows={Math.min(rows.length, PAGE_ROWS)}
        hasMore={rows.length > PAGE_ROWS}
        onPage={(next) => onChange({ page: next })}
      />
    </>
  );
}
