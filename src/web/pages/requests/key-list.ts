/** Keyboard shortcuts of the list of requests, for its help. */
export const LIST_KEYS = [
  ["j ↓", "next request"],
  ["k ↑", "previous request"],
  ["PgDn PgUp", "15 requests down, or up"],
  ["Home End", "first request, last loaded one"],
  ["Enter", "open the request beside the list"],
  ["Esc", "close it, back to its row"],
  ["x", "select or deselect the request"],
  ["[ ]", "previous part, next part"],
  ["s", "search"],
  ["/", "filter"],
  ["b", "filter builder"],
  ["f", "show or hide the facets"],
  ["l", "live on or off"],
  ["r", "refresh"],
  ["Shift ← →", "on a column's head: move the column"],
  ["+ -", "on a column's head: wider, narrower"],
  ["Ctrl K", "go to a page, view, request, session or user"],
  ["?", "these keys"],
] as const;

/** Shortcuts of a request's page. */
export const REQUEST_KEYS = [
  ["j", "next request of the list"],
  ["k", "previous request"],
  ["[ ]", "previous part, next part"],
  ["Esc", "back to the list"],
  ["?", "these keys"],
] as const;
