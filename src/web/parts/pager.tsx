import { Empty } from "./states.tsx";

interface PagerProps {
  /** From 1. */
  readonly page: number;
  /** Rows on this page, and whether more follow. */
  readonly rows: number;
  readonly hasMore: boolean;
  readonly pageRows: number;
  readonly onPage: (page: number) => void;
}

/** Buttons to page through a list; hidden if there is only one page. */
export function Pager({ page, rows, hasMore, pageRows, onPage }: PagerProps) {
  if (page === 1 && !hasMore) return null;
  const first = (page - 1) * pageRows;
  return (
    <nav className="pager" aria-label="Pages of this list">
      <button type="button" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span aria-live="polite">
        {rows === 0 ? "No rows" : `${first + 1} to ${first + rows}`}
        {hasMore ? "" : `, the last`}
      </span>
      <button type="button" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}

/** Shown for a page that a list no longer has. */
export function PastEnd({ onFirst }: { readonly onFirst: () => void }) {
  return (
    <Empty title="The list ends before this page">
      <button type="button" onClick={onFirst}>
        To its first page
      </button>
    </Empty>
  );
}
