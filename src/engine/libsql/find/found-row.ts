import type { Position } from "../../../filter/cursor.ts";
import type { Bind } from "../../../filter/operators.ts";
import { keySql, type Sort } from "../../../filter/sort.ts";
import { creationColumn, type Source } from "../../../filter/source.ts";

/** What finds a row and its place in the order: its sort values are `k0`, `k1` and so on. */
export interface FoundRow {
  readonly seq: number;
  readonly request_id: string;
  readonly [key: `k${number}`]: string | number | null;
}

/** SQL of the columns of a `FoundRow`. */
export function rowColumns(sort: Sort, bind: Bind, source: Source): string {
  const keys =
    sort === "random" ? [] : sort.map((key, index) => `${keySql(key, bind, creationColumn(source))} as k${index}`);
  return ["r.seq", "r.request_id", ...keys].join(", ");
}

/** Where a row stands in the order. */
export function positionOf(row: FoundRow, sort: Sort): Position {
  const values = sort === "random" ? [] : sort.map((_, index) => row[`k${index}`]!);
  return { values, requestId: row.request_id };
}
