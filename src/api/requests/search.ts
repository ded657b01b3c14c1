import { GatewayError } from "../../errors.ts";
import { decodeCursor, encodeCursor, type Position } from "../../filter/cursor.ts";
import type { Scope } from "../../filter/scope.ts";
import { lacksBodies } from "../../filter/sight.ts";
import { decodeSort, NEWEST_FIRST, searchOrder } from "../../filter/sort.ts";
import { isoTime } from "../../record/iso-time.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { readWordQuery } from "../../store/words/word-query.ts";
import { indexed } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { readPaging, type ScopedQuery } from "../input/query-body.ts";
import { respondWithRecords } from "./respond.ts";
import { queryWarnings } from "./warnings.ts";

interface SearchBody {
  readonly search: string;
  readonly sort?: unknown;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly limitMax: number;
  readonly cursor?: string | null;
  readonly includeBody?: boolean | null;
  readonly includeProviderBodies?: boolean | null;
  readonly includeInputs?: boolean | null;
  readonly includeStoredBytes?: boolean | null;
}

/**
 * Returns the newest records with the words. After a moment it returns the hits so far, the time that it has reached, and
 * the cursor for the rest. So the caller sees hits as they are found, and cancels by not requesting the next page.
 */
export async function respondToSearch(
  context: ApiContext,
  request: Request,
  body: SearchBody,
  { scope, decoded }: ScopedQuery,
): Promise<Response> {
  const { limit, offset } = readPaging(body, body.limitMax);
  if (offset !== 0)
    throw new GatewayError("invalid_body", "a search has no offset: use the cursor", { path: "offset" });
  refuseOrder(body.sort);
  const order = searchOrder(body.search);
  const after = typeof body.cursor === "string" ? decodeCursor(body.cursor, scope, order) : undefined;
  const deadline = new Deadline(context.config.query_timeout_seconds * 1000);
  const page = await searchWords(context, scope, { search: body.search, limit, after, deadline });
  const { organizationId } = scope;
  const toShow = { organizationId, sight: "bodies", keys: page.keys } as const;
  return respondWithRecords(context, request, toShow, {
    includeBody: body.includeBody ?? true,
    includeProviderBodies: body.includeProviderBodies ?? false,
    includeInputs: body.includeInputs ?? false,
    includeStoredBytes: body.includeStoredBytes ?? false,
    extra: {
      next_cursor: page.next === undefined ? null : encodeCursor(page.next, scope, order),
      searched_to: page.searchedTo === undefined ? null : isoTime(page.searchedTo),
    },
    headers: await queryWarnings(context.engine.source, scope.organizationId, decoded, deadline),
  });
}

interface Words {
  readonly search: string;
  readonly limit: number;
  /** Where the previous page ended. */
  readonly after?: Position | undefined;
  readonly deadline: Deadline;
}

/**
 * The newest records with the words that are found within about a second.
 *
 * @throws GatewayError `insufficient_permission`, `search_off`, `search_invalid`
 */
export async function searchWords(context: ApiContext, scope: Scope, { search, limit, after, deadline }: Words) {
  if (scope.sight !== "bodies") throw lacksBodies("searching for words", "search");
  if (context.config.search_index === "no") throw new GatewayError("search_off");
  const query = readWordQuery(search);
  const isIndexed = after !== undefined || (await indexed(context));
  const ofProviders = context.gateway.providerMappings;
  return context.engine.source.search(scope, { query, limit, after, deadline, isIndexed, ofProviders });
}

/** @throws GatewayError `sort_invalid` for every order except newest first. */
function refuseOrder(raw: unknown): void {
  const sort = decodeSort(raw);
  const [newest] = NEWEST_FIRST;
  const isNewest = sort !== "random" && sort.length === 1 && sort[0]!.label === newest!.label;
  if (isNewest && sort[0]!.direction === "desc") return;
  throw new GatewayError("sort_invalid", "a search returns the newest first: omit the sort", { path: "sort" });
}
