import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { type ColumnKind, PARQUET_TYPES } from "../../record/columns.ts";
import type { CsvColumn } from "./csv.ts";
import { kindOf, typedValue } from "./kinds.ts";

type Row = Readonly<Record<string, unknown>>;
/** A row group ends at the first of these limits. */
const GROUP_ROWS_MAX = 10_000;
const GROUP_CHARACTERS_MAX = 8_000_000;

/** A Parquet file that is written as its rows arrive; the first group determines the columns' types. */
export class ParquetFile {
  readonly #columns: readonly CsvColumn[];
  readonly #bytes = new ByteWriter();
  #file: ParquetWriter | undefined;
  #kinds: readonly ColumnKind[] = [];
  #rows: Row[] = [];
  #characters = 0;

  constructor(columns: readonly CsvColumn[]) {
    this.#columns = columns;
  }

  /** @returns the bytes that are finished. */
  add(rows: readonly Row[]): Uint8Array<ArrayBuffer> {
    this.#rows.push(...rows);
    this.#characters += rows.reduce((sum, row) => sum + charactersOf(row), 0);
    if (this.#rows.length >= GROUP_ROWS_MAX || this.#characters >= GROUP_CHARACTERS_MAX) this.#closeGroup();
    return this.#take();
  }

  end(): Uint8Array<ArrayBuffer> {
    if (this.#rows.length > 0 || this.#file === undefined) this.#closeGroup();
    this.#file!.finish();
    return this.#take();
  }

  #closeGroup(): void {
    const rows = this.#rows;
    if (this.#file === undefined) {
      this.#kinds = this.#columns.map((column) => kindOf(column.name, rows.values().map(column.valueOf)));
      const columnData = this.#columns.map(({ name }, at) => ({
        ...{ name, data: [], type: PARQUET_TYPES[this.#kinds[at]!], nullable: true },
      }));
      this.#file = new ParquetWriter({ writer: this.#bytes, schema: schemaFromColumnData({ columnData }) });
    }
    if (rows.length === 0) return;
    this.#file.write({
      columnData: this.#columns.map((column, at) => ({
        name: column.name,
        data: rows.map((row) => typedValue(this.#kinds[at]!, column.valueOf(row))),
        type: PARQUET_TYPES[this.#kinds[at]!],
      })),
      rowGroupSize: rows.length,
    });
    this.#rows = [];
    this.#characters = 0;
  }

  #take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.getBytes().slice();
    this.#bytes.index = 0; // `offset`, which the footer uses, continues counting
    return taken as Uint8Array<ArrayBuffer>;
  }
}

/** The approximate size of a row in memory: mostly its bodies. */
const charactersOf = ({ request_body, response_body }: Row): number =>
  [request_body, response_body].reduce<number>((sum, body) => sum + (JSON.stringify(body ?? null)?.length ?? 0), 100);
