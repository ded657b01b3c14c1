import type { Scope } from "../../filter/scope.ts";
import type { Sort } from "../../filter/sort.ts";
import { ALL } from "../../filter/tree.ts";
import type { Deadline } from "../../store/database/deadline.ts";
import type { Page, PageOptions } from "../record-source.ts";
import { BodySearch } from "./body-search.ts";
import { type FoundRow, finderOf, keyOf, positionOf, readsBodies } from "./finder.ts";
import type { Place, ReaderOptions } from "./records.ts";

/** One page of a query. */
export async function findPage(options: ReaderOptions, scope: Scope, wanted: PageOptions): Promise<Page> {
  const { sort, limit, offset, after, deadline } = wanted;
  if (limit === 0) return { keys: [], next: after };
  const found = await finderOf(options, scope, sort, deadline);
  if (readsBodies(scope.tree)) {
    const { rows, upTo } = await new BodySearch(options, found, deadline).find(wanted);
    if (upTo === undefined) return page(rows, sort, limit);
    return { keys: rows.map(keyOf), next: positionOf(upTo, sort), searchedTo: upTo.createdAt };
  }
  const rows = await found.rows({ sort, count: offset + limit + 1, after, deadline });
  return page(rows.slice(offset), sort, limit);
}

/** Number of records that a filter selects. */
export async function countMatches(options: ReaderOptions, scope: Scope, deadline: Deadline): Promise<number> {
  const found = await finderOf(options, scope, [], deadline);
  return readsBodies(scope.tree)
    ? (await new BodySearch(options, found, deadline).all()).length
    : found.count(deadline);
}

/**
 * The scope without conditions on bodies, and the records that match them, for a statement that aggregates. `places` is
 * undefined when the filter reads no bodies.
 */
export async function withoutBodies(
  options: ReaderOptions,
  scope: Scope,
  deadline: Deadline,
): Promise<{ readonly scope: Scope; readonly places: readonly Place[] | undefined }> {
  if (!readsBodies(scope.tree)) return { scope, places: undefined };
  const found = await finderOf(options, scope, [], deadline);
  const places = await new BodySearch(options, found, deadline).all();
  return { scope: { ...scope, tree: ALL }, places };
}

function page(rows: readonly FoundRow[], sort: Sort, limit: number): Page {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isMore = rows.length > limit && sort !== "random" && last !== undefined;
  return { keys: shown.map(keyOf), next: isMore ? positionOf(last, sort) : undefined };
}
