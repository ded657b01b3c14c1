import { type Insert, insertInto, insertRows } from "../../../store/database/statements.ts";
import type { Statement, Value } from "../../../store/store.ts";

/** Sets of columns whose statements are kept. Traffic of one kind needs one or two. */
const SETS_MAX = 16;

/** A row, and what stands in its table's first column. */
export interface KeyedRow<Column extends string> {
  readonly key: Value;
  readonly row: Readonly<Partial<Record<Column, Value | undefined>>>;
}

interface SparseTable<Column extends string> {
  readonly table: string;
  /** Name of the first column. */
  readonly key: string;
  readonly columns: readonly Column[];
  /** What a column holds where an insert does not name it. */
  readonly defaults: Readonly<Record<Column, Value>>;
  /** What follows the values. */
  readonly conflict: string;
}

/**
 * Inserts rows of which most columns hold their default. Only those are named that hold more in some row: each value
 * costs more to hand over to the database than to write.
 */
export class SparseInsert<Column extends string> {
  readonly #table: SparseTable<Column>;
  readonly #inserts = new Map<string, Insert>();

  constructor(table: SparseTable<Column>) {
    this.#table = table;
  }

  /** Statements that insert these rows. */
  insert(rows: readonly KeyedRow<Column>[], into: Statement[]): void {
    if (rows.length === 0) return;
    const { table, key, columns, conflict } = this.#table;
    const named = this.namedIn(rows, columns);
    const values: Value[] = [];
    for (const each of rows) this.pushValues(each, named, values);
    const insert = remembered(this.#inserts, named.join(), () => insertInto(table, [key, ...named], conflict));
    insertRows(insert, values, into);
  }

  /** Those of `columns` that hold more than their default in some row. */
  namedIn(rows: readonly KeyedRow<Column>[], columns: readonly Column[]): Column[] {
    return columns.filter((column) => {
      const standard = this.#table.defaults[column];
      return rows.some(({ row }) => (row[column] ?? standard) !== standard);
    });
  }

  pushValues({ key, row }: KeyedRow<Column>, columns: readonly Column[], into: Value[]): void {
    into.push(key);
    for (const column of columns) into.push(row[column] ?? this.#table.defaults[column]);
  }
}

/** What `make` answers for this key, made once while it is among the last few. */
export function remembered<T>(kept: Map<string, T>, key: string, make: () => T): T {
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= SETS_MAX) kept.delete(kept.keys().next().value!);
  const made = make();
  kept.set(key, made);
  return made;
}
