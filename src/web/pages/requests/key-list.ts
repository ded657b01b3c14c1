/** Keyboard shortcuts of the list of requests, for its help. */
export const LIST_KEYS = [
  ["j ↓", "next request"],
  ["k ↑", "request before"],
  ["PgDn PgUp", "15 requests on, or back"],
  ["Home End", "first request, last that is loaded"],
  ["Enter", "open the request beside the list"],
  ["Esc", "close it, back to its row"],
  ["x", "select the request, or no longer"],
  ["[ ]", "its part before, its next part"],
  ["s", "search"],
  ["/", "filter"],
  ["b", "filter builder"],
  ["f", "values with their numbers on or off"],
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
  ["k", "request before"],
  ["[ ]", "the part before, the next part"],
  ["Esc", "back to the list"],
  ["?", "these keys"],
] as const;
