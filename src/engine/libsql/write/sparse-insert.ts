import { type Insert, insertInto, insertRows } from "../../../store/database/statements.ts";
import type { Statement, Value } from "../../../store/store.ts";

/** Sets of columns whose statements are cached. Traffic of one kind needs one or two. */
const SETS_MAX = 16;

/** A row, and the value of its table's first column. */
export interface KeyedRow<Column extends string> {
  readonly key: Value;
  readonly row: Readonly<Partial<Record<Column, Value | undefined>>>;
}

interface SparseTable<Column extends string> {
  readonly table: string;
  /** Name of the first column. */
  readonly key: string;
  readonly columns: readonly Column[];
  /** The value of a column that an insert does not name. */
  readonly defaults: Readonly<Record<Column, Value>>;
  /** The clause after the values. */
  readonly conflict: string;
}

/**
 * Inserts rows in which most columns have their default. Only columns that differ from it in some row are named: passing a
 * value to the database costs more than writing it.
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

  /** Those of `columns` that differ from their default in some row. */
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

/** The cached result of `make` for this key; only the last few keys are cached. */
export function remembered<T>(kept: Map<string, T>, key: string, make: () => T): T {
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= SETS_MAX) kept.delete(kept.keys().next().value!);
  const made = make();
  kept.set(key, made);
  return made;
}
