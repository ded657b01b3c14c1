import { queryOptions } from "@tanstack/react-query";
import type { ShownView } from "../../../../api/views/views.ts";
import { get } from "../../../api.ts";
import { type Choices, readChoices } from "../column-choice.ts";
import { type RequestsSearch, readRequestsSearch } from "../search.ts";

export type View = ShownView;

export const viewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: ({ signal }) => get<readonly View[]>("/v1/views", signal),
  staleTime: 30_000,
});

/** The list's address for a view; members that this version does not know are left out. */
export function searchOfView(view: View): RequestsSearch {
  const { id, filter, search, sort, range, from, to } = view;
  const [order] = Object.entries(sort ?? {});
  return readRequestsSearch({
    ...(filter === null ? {} : { filter }),
    ...(search === null ? {} : { q: search }),
    ...(order === undefined ? {} : { sort: order.join(".") }),
    ...{ range, from, to, view: id },
  });
}

/** The current list in the API's form of a view. */
export function termsOf(search: RequestsSearch, columns: Choices) {
  const [key, direction] = (search.sort ?? "").split(".");
  return {
    filter: search.filter ?? null,
    search: search.q ?? null,
    sort: key === undefined || key === "" ? null : { [key]: direction },
    range: search.range ?? null,
    from: search.from ?? null,
    to: search.to ?? null,
    columns: columns.map(({ id, width }) => (width === undefined ? { id } : { id, width })),
  };
}

/** Whether the list differs from its view. */
export function isChanged(view: View, search: RequestsSearch, columns: Choices): boolean {
  const own = view.columns === null ? columns : readChoices(view.columns);
  return JSON.stringify(termsOf(searchOfView(view), own)) !== JSON.stringify(termsOf(search, columns));
}

/** A view from the version that stored views in the browser. */
interface BrowserView {
  readonly name: string;
  readonly search: RequestsSearch;
}

const STORED = "weir.views";

/** Views that an earlier version stored in this browser. */
export function browserViews(): readonly BrowserView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored
      .filter((view) => typeof view?.name === "string" && typeof view.search === "object" && view.search !== null)
      .map(({ name, search }) => ({ name, search: readRequestsSearch(search) }));
  } catch {
    return []; // not written by this page
  }
}

export function keepBrowserViews(views: readonly BrowserView[]): void {
  if (views.length === 0) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, JSON.stringify(views));
}
