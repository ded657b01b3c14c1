import type { Position } from "../../filter/cursor.ts";
import type { Scope } from "../../filter/scope.ts";
import { isByCreation, type Sort } from "../../filter/sort.ts";
import type { Sql } from "../../filter/sql.ts";
import { type Condition, conditionsOf, conjuncts, type FilterTree } from "../../filter/tree.ts";
import type { Deadline } from "../../store/database/deadline.ts";
import { placesOf } from "./look-up.ts";
import { afterSql, keyColumns, orderSql } from "./print/order.ts";
import { type Place, type ReaderOptions, type Records, recordsOf, type Times } from "./records.ts";
import { isSmall } from "./table-size.ts";
import { Windows } from "./windows.ts";

/** Identifies a record and its place in the order: its sort values are `k0`, `k1` and so on. */
export interface FoundRow extends Place {
  /** Bytes of its bodies on the wire. */
  readonly size: number;
  readonly [key: `k${number}`]: string | number | null;
}

interface RowsWanted {
  readonly sort: Sort;
  readonly count: number;
  readonly after?: Position | undefined;
  readonly deadline: Deadline;
  readonly body?: (condition: Condition) => Sql;
}

export const readsBodies = (tree: FilterTree): boolean =>
  conditionsOf(tree).some(({ source }) => source.from === "body");

/** Finds the rows of one scope. */
export class Finder {
  readonly records: Records;
  readonly #options: ReaderOptions;
  /** The places of the records, if the filter contains ids. */
  readonly #places: readonly Place[] | undefined;

  constructor(options: ReaderOptions, records: Records, places: readonly Place[] | undefined) {
    this.#options = options;
    this.records = records;
    this.#places = places;
  }

  /** The first rows after a position. */
  async rows(wanted: RowsWanted): Promise<FoundRow[]> {
    const { count } = wanted;
    const windows = await this.#windows(wanted);
    if (windows === undefined) return this.#window(wanted, this.records.times, count);
    const found: FoundRow[] = [];
    for (let times = windows.next(0); times !== undefined; times = windows.next(found.length / count)) {
      found.push(...(await this.#window(wanted, times, count - found.length)));
      if (found.length >= count) break;
    }
    // Within a window each record appears once, finished or in flight, but one may end between two statements.
    return [...new Map(found.map((row) => [row.requestId, row])).values()];
  }

  async count(deadline: Deadline): Promise<number> {
    const sql = this.records.select({ columns: "count() as n", places: this.#places });
    const [row] = await this.query<{ n: number }>(sql, deadline);
    return row?.n ?? 0;
  }

  /** Those of these rows that the filter selects, given the results for bodies. */
  async among(places: readonly Place[], deadline: Deadline, body: (condition: Condition) => Sql): Promise<Set<string>> {
    const sql = this.records.select({ columns: "r.request_id as id", places, body });
    return new Set((await this.query<{ id: string }>(sql, deadline)).map(({ id }) => id));
  }

  query<Row>(sql: string, deadline: Deadline): Promise<Row[]> {
    return this.#options.client.query<Row>(sql, { settings: this.records.settings, ...deadline.rest() });
  }

  /** Undefined when all times are searched at once. */
  async #windows({ sort, after, deadline }: RowsWanted): Promise<Windows | undefined> {
    const { times } = this.records;
    if (this.#places !== undefined || sort === "random" || !isByCreation(sort)) return undefined;
    if (await isSmall(this.#options, deadline)) return undefined;
    const { direction } = sort[0]!;
    const from = after?.values[0];
    const rest =
      typeof from !== "number"
        ? times
        : direction === "desc"
          ? { ...times, most: Math.min(times.most, from) }
          : { ...times, least: Math.max(times.least, from) };
    // Nothing says where the oldest records are.
    if (direction === "asc" && rest.least <= -Number.MAX_SAFE_INTEGER) return undefined;
    return new Windows(direction, rest, Date.now());
  }

  #window({ sort, after, deadline, body }: RowsWanted, times: Times, count: number): Promise<FoundRow[]> {
    const columns = "r.request_id as requestId, r.request_created_at as createdAt, r.size_bytes as size";
    const parts = {
      columns: columns + keyColumns(sort, this.records),
      where: after === undefined || sort === "random" ? undefined : afterSql(after, sort, this.records),
      times,
      places: this.#places,
      ...(body && { body }),
    };
    const tail = (id?: string) => `order by ${orderSql(sort, id)} limit ${count}`;
    const isByValue = sort !== "random" && !isByCreation(sort);
    const sql = isByValue ? this.records.first(parts, tail) : this.records.select({ ...parts, tail: tail() });
    return this.query<FoundRow>(sql, deadline);
  }
}

export async function finderOf(options: ReaderOptions, scope: Scope, sort: Sort, deadline: Deadline): Promise<Finder> {
  const records = await recordsOf(options, scope, sort);
  const ids = idsOf(scope.tree);
  if (ids === undefined) return new Finder(options, records, undefined);
  const keys = ids.map((requestId) => ({ requestId }));
  return new Finder(options, records, await placesOf(options, scope.organizationId, keys, deadline));
}

/** The position of a row in the order. */
export function positionOf(row: FoundRow, sort: Sort): Position {
  const values = sort === "random" ? [] : sort.map((_, index) => row[`k${index}`]!);
  return { values, requestId: row.requestId };
}

export const keyOf = ({ requestId, createdAt }: Place): Place => ({ requestId, createdAt });

/** Ids that the filter requires a record to have one of; undefined when it requires none. */
function idsOf(tree: FilterTree): readonly string[] | undefined {
  for (const term of conjuncts(tree)) {
    const ids = term.kind === "or" ? term.terms.map(idOf) : [idOf(term)];
    if (ids.every((id) => id !== undefined)) return ids;
  }
  return undefined;
}

function idOf(term: FilterTree): string | undefined {
  if (term.kind !== "condition" || term.source.from !== "row" || term.source.sql !== "r.request_id") return undefined;
  return term.operator === "equals" && typeof term.value === "string" ? term.value : undefined;
}
