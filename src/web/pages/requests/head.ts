import type { InfiniteData } from "@tanstack/react-query";
import type { ApiResponse } from "../../api.ts";
import type { RequestRow } from "./columns.tsx";

/** The loaded pages of the list. */
export type Pages = InfiniteData<ApiResponse<readonly RequestRow[]>, string | null>;

/** Rows of the first page, at most: in a list that is live all day it would grow without end. */
const FIRST_PAGE_ROWS_MAX = 5_000;

/**
 * Known pages with the newest rows merged in. Undefined if all must be requested again: the new rows do not reach the known
 * ones, or there would be too many.
 */
export function withHead(known: Pages, head: ApiResponse<readonly RequestRow[]>): Pages | undefined {
  const fresh = new Map(head.data.map((row) => [row.request_id, row]));
  const knownIds = new Set(known.pages.flatMap((page) => page.data.map((row) => row.request_id)));
  const added = head.data.filter((row) => !knownIds.has(row.request_id));
  if (added.length > 0 && added.length === head.data.length) return undefined;
  if (added.length + (known.pages[0]?.data.length ?? 0) > FIRST_PAGE_ROWS_MAX) return undefined;
  const pages = known.pages.map((page) => {
    const data = page.data.map((row) => fresh.get(row.request_id) ?? row);
    return data.every((row, at) => isSame(row, page.data[at]!)) ? page : { ...page, data };
  });
  if (added.length === 0) return pages.every((page, at) => page === known.pages[at]) ? known : { ...known, pages };
  return { ...known, pages: [{ ...pages[0]!, data: [...added, ...pages[0]!.data] }, ...pages.slice(1)] };
}

const isSame = (a: RequestRow, b: RequestRow) =>
  a === b || (a.updated_at === b.updated_at && a.response_status === b.response_status);
