import { firstSessionWorks, type Heard } from "./first-session.ts";

/** How long the response may be kept: the list shows the newest requests. */
const KEPT_MS = 10_000;

const PATH = "/v1/request/query-fast";

/** The members of the list's queries, in the order in which they are sent. */
interface RowsBody {
  readonly filter: unknown;
  readonly sort: Readonly<Record<string, "asc" | "desc">>;
  readonly search?: string | undefined;
  readonly partial?: true;
  readonly cursor?: string;
}

const PAGE_ROWS = 100;

/** The body of a query for one page of the list. */
export const rowsBody = ({ filter, sort, search, ...others }: RowsBody) => ({
  ...{ filter, sort, search, limit: PAGE_ROWS, includeBody: false, includeStoredBytes: true },
  ...others,
});

/** What the list shows at an address without a query: all requests, newest first. */
const BODY = JSON.stringify(rowsBody({ filter: "all", sort: { created_at: "desc" } }));

/**
 * The rows of the list of all requests are requested while the program is still loading, so that they arrive before it can
 * draw them; not before it is known that someone is logged in.
 */
let pending = location.pathname === "/requests" && location.search === "" ? ask() : undefined;

async function ask(): Promise<Heard | undefined> {
  if (!(await firstSessionWorks)) return undefined;
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(PATH, { method: "POST", credentials: "same-origin", headers, body: BODY });
    return response.ok ? { response, at: Date.now() } : undefined;
  } catch {
    return undefined; // the list sends it again, and shows the failure
  }
}

/** Whether the first rows arrive in the next milliseconds; false at once if they were not requested. */
export async function firstRowsArrive(withinMs: number): Promise<boolean> {
  if (pending === undefined) return false;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, withinMs, undefined));
  return (await Promise.race([pending, late])) !== undefined;
}

/**
 * The response to a query that was sent early; undefined for any other query, or if it was taken already. It resolves to
 * undefined if it failed or is old.
 */
export function takeFirstRows(path: string, body: unknown): Promise<Heard | undefined> | undefined {
  if (pending === undefined || path !== PATH || JSON.stringify(body) !== BODY) return undefined;
  const taken = pending;
  pending = undefined;
  return taken.then((heard) => (heard !== undefined && Date.now() - heard.at < KEPT_MS ? heard : undefined));
}
