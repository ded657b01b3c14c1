import { chooseAccessPath, creationColumn, orderOf, type Source, scopeAfter } from "../../../filter/access-path.ts";
import { afterInParts, afterSql } from "../../../filter/cursor.ts";
import type { SqlStatement } from "../../../filter/parameters.ts";
import type { Scope } from "../../../filter/scope.ts";
import { needsTexts, readsContent, selectRecords } from "../../../filter/select.ts";
import { isByCreation, NEWEST_FIRST, type Sort } from "../../../filter/sort.ts";
import { EMPTY, raw, type Sql, sql } from "../../../filter/sql.ts";
import { ALL } from "../../../filter/tree.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { Page, PageOptions } from "../../record-source.ts";
import { blockAggregates } from "../column-store/block-aggregates.ts";
import { rowsInBlocks } from "../column-store/read.ts";
import { BodySearch } from "./body-search.ts";
import { soonInOrder, topSource } from "./find-top.ts";
import { type FoundRow, positionOf, rowColumns } from "./found-row.ts";

/** A page with this engine's rows. */
export interface FoundPage extends Omit<Page, "keys"> {
  readonly rows: readonly FoundRow[];
}

/** One page of a query. */
export async function findPage(database: Database, scope: Scope, options: PageOptions): Promise<FoundPage> {
  const { sort, limit, offset, deadline } = options;
  if (limit === 0) return { rows: [], next: options.after };
  const reads = readsContent(scope.tree, sort);
  // An order by contents needs all rows, in any order.
  const order = needsTexts(ALL, sort) ? NEWEST_FIRST : sort;
  const source = await chooseAccessPath(scope, order, (statement) => counted(database, statement, deadline));
  if (reads) {
    const { rows, upTo } = await new BodySearch(database, scope, deadline).find({ ...options, source });
    if (upTo === undefined) return page(rows, sort, limit);
    return { rows, next: upTo.place, searchedTo: upTo.time };
  }
  const soon = await soonInOrder(database, scope, { sort, source, deadline }, (within) =>
    rowsFrom(database, scope, source, { ...options, deadline: within }),
  );
  if (soon !== undefined) return page(soon, sort, limit);
  const count = limit + 1 + offset;
  const few = await topSource(database, scope, { sort, count, after: options.after, source }, deadline);
  if (few !== undefined) {
    const rows = await rowsFrom(database, scope, few, options);
    // Otherwise fewer rows match than a moment ago: some have changed meanwhile, and others have taken their place.
    if (rows.length > limit || isByCreation(sort)) return page(rows, sort, limit);
  }
  return page(await rowsFrom(database, scope, source, options), sort, limit);
}

/** One row more than the page, if there is one. */
async function rowsFrom(
  database: Database,
  scope: Scope,
  source: Source,
  { sort, limit, offset, after, deadline }: PageOptions,
): Promise<readonly FoundRow[]> {
  const creation = creationColumn(source);
  const rest = after === undefined || sort === "random" ? scope : scopeAfter(scope, sort, after);
  const rows = async (where: Sql | undefined, most: number) => {
    const statement = selectRecords(
      rest,
      rowColumns(sort, source),
      sql`order by ${orderOf(source, sort)} limit ${most} offset ${offset}`,
      { source, sort, where },
    );
    return database.query<FoundRow>(statement, deadline.rest());
  };
  if (after === undefined || sort === "random") return rows(undefined, limit + 1);
  const parts = offset === 0 ? afterInParts(after, sort) : undefined;
  if (parts === undefined) return rows(afterSql(after, sort, creation), limit + 1);
  const found: FoundRow[] = [];
  for (const part of parts) if (found.length <= limit) found.push(...(await rows(part, limit + 1 - found.length)));
  return found;
}

/** Above this many records, counting in blocks is faster. */
const COUNTED_MAX = 200_000;

/** Number of records that a filter selects. */
export async function countMatches(database: Database, scope: Scope, deadline: Deadline): Promise<number> {
  if ((await rowsInBlocks(database, scope)) > COUNTED_MAX && (await needsManyRecords(database, scope, deadline))) {
    const all = { groupBy: [], timeBucket: undefined, measures: {} };
    const aggregates = await blockAggregates(database, scope, all, deadline);
    if (aggregates !== undefined)
      return [...aggregates.groups()].reduce((sum, group) => sum + aggregates.requestsOf(group), 0);
  }
  const { scope: plain, source } = await withoutBodies(database, scope, deadline);
  return counted(database, selectRecords(plain, sql`count(*) as n`, EMPTY, { source }), deadline);
}

/**
 * The same scope for a single aggregating statement: when the filter reads bodies, the matching rows are found first and
 * replace the filter.
 */
export async function withoutBodies(
  database: Database,
  scope: Scope,
  deadline: Deadline,
): Promise<{ scope: Scope; source: Source }> {
  const source = await chooseAccessPath(scope, undefined, (statement) => counted(database, statement, deadline));
  if (!readsContent(scope.tree)) return { scope, source };
  const seqs = await new BodySearch(database, scope, deadline).all(source);
  return { scope: { ...scope, tree: ALL }, source: { kind: "rows", seqs } };
}

/** Above this many records of one user or session, blocks are faster. */
const KEYED_MAX = 20_000;

/** Whether no index narrows the filter to few records: then blocks are faster, if they can answer it. */
export async function needsManyRecords(database: Database, scope: Scope, deadline: Deadline): Promise<boolean> {
  if (readsContent(scope.tree)) return false;
  const source = await chooseAccessPath(scope, undefined, (statement) => counted(database, statement, deadline));
  if (source.kind === "index" && source.key !== undefined) {
    const keyed = { organizationId: scope.organizationId, tree: source.key };
    const found = selectRecords(keyed, sql`r.seq`, raw(`limit ${KEYED_MAX + 1}`), { source });
    const statement = { ...found, sql: `select count(*) as n from (${found.sql})` };
    return (await counted(database, statement, deadline)) > KEYED_MAX;
  }
  return source.kind === "scan" || source.kind === "property" || source.kind === "index";
}

function page(rows: readonly FoundRow[], sort: Sort, limit: number): FoundPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && sort !== "random" && last !== undefined;
  return { rows: shown, next: more ? positionOf(last, sort) : undefined };
}

async function counted(database: Database, statement: SqlStatement, deadline: Deadline): Promise<number> {
  const [row] = await database.query<{ n: number }>(statement, deadline.rest());
  return row?.n ?? 0;
}
