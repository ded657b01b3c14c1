import { creationColumn, type Source } from "../../../filter/access-path.ts";
import type { Position } from "../../../filter/cursor.ts";
import { keySql, type Sort } from "../../../filter/sort.ts";
import { join, raw, type Sql, sql } from "../../../filter/sql.ts";
import type { RecordKey } from "../../record-source.ts";

/** Identifies a row and its place in the order: its sort values are `k0`, `k1` and so on. */
export interface FoundRow {
  readonly seq: number;
  readonly request_id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly [key: `k${number}`]: string | number | null;
}

/** SQL of the columns of a `FoundRow`. */
export function rowColumns(sort: Sort, source: Source): Sql {
  const creation = creationColumn(source);
  const keys = sort === "random" ? [] : sort.map((key, index) => sql`${keySql(key, creation)} as ${raw(`k${index}`)}`);
  return join([raw(`r.seq, r.request_id, ${creation} as created`), ...keys], ", ");
}

/** The position of a row in the order. */
export function positionOf(row: FoundRow, sort: Sort): Position {
  const values = sort === "random" ? [] : sort.map((_, index) => row[`k${index}`]!);
  return { values, requestId: row.request_id };
}

/** A key as this engine returns it: the number finds the row in one step. */
interface FoundKey extends RecordKey {
  readonly seq: number;
}

export function keyOf({ seq, request_id: requestId, created: createdAt }: FoundRow): FoundKey {
  return { requestId, createdAt, seq };
}

/** Row numbers; undefined when a key is from elsewhere and has none. */
export function seqsOf(keys: readonly RecordKey[]): number[] | undefined {
  const seqs = keys.flatMap((key) => ("seq" in key && typeof key.seq === "number" ? key.seq : []));
  return seqs.length === keys.length ? seqs : undefined;
}
