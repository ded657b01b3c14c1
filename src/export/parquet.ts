import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { ExportFailure } from "../api-client/failure.ts";
import { type ColumnKind, PARQUET_TYPES } from "../record/columns.ts";
import { collectGarbage } from "../runtime/memory.ts";
import type { Column } from "./columns.ts";
import { Cells, type Encoder, shownText } from "./encoder.ts";
import { ParquetFooter } from "./parquet-footer.ts";
import { textsOf } from "./record-lines.ts";

/** A row group ends at the first of these limits; both count only records, so its boundaries never vary. */
const GROUP_ROWS_MAX = 10_000;
const GROUP_CHARACTERS_MAX = 3_000_000;
/** `PAR1`, the first and the last bytes of a file. */
const MAGIC = 0x31524150;

/**
 * Parquet with typed, nullable columns, Snappy, and statistics of numbers and times. Nested values are JSON text.
 *
 * One encoder writes one file from its start: its footer needs data collected on the way.
 */
export function parquet(columns: readonly Column[]): Encoder {
  const writer = new ByteWriter();
  const schema = schemaOf(columns);
  const file = new ParquetWriter({ writer, schema });
  const footer = new ParquetFooter(schema, "weir");
  let group: unknown[][] = columns.map(() => []);
  let groupRows = 0;
  let groupCharacters = 0;

  const cells = new Cells(columns);

  const add = (row: string) => {
    cells.read(row);
    for (const [index, column] of columns.entries()) {
      const value = cells.valueOf(index);
      group[index]?.push(column.property === undefined ? typedValue(column, value) : value);
    }
    groupCharacters += row.length;
    groupRows++;
  };
  const closeGroup = () => {
    const columnData = columns.map(({ name, kind }, index) => ({
      name,
      data: group[index] ?? [],
      type: PARQUET_TYPES[kind],
      // The footer stays in memory until the end, and minimum and maximum texts are of little use to a reader.
      statistics: kind !== "text" && kind !== "json",
      offsetIndex: false,
    }));
    file.write({ columnData, rowGroupSize: groupRows });
    for (const written of file.row_groups.splice(0)) footer.add(written);
    file.pendingIndexes.length = 0; // it collects every column of every group for indexes that are not written
    group = columns.map(() => []);
    groupRows = 0;
    groupCharacters = 0;
    collectGarbage();
  };
  const take = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // `offset`, which the footer uses, continues counting
    return bytes;
  };

  return {
    copies: 1,
    head: take,
    rows(lines) {
      for (const row of textsOf(lines)) {
        add(row);
        if (groupRows === GROUP_ROWS_MAX || groupCharacters >= GROUP_CHARACTERS_MAX) closeGroup();
      }
      return take();
    },
    tail() {
      if (groupRows > 0) closeGroup();
      writer.appendBytes(footer.bytes());
      writer.appendUint32(MAGIC);
      return take();
    },
  };
}

function schemaOf(columns: readonly Column[]) {
  const empty = columns.map(({ name, kind }) => ({ name, data: [], type: PARQUET_TYPES[kind], nullable: true }));
  return schemaFromColumnData({ columnData: empty });
}

function typedValue({ name, kind }: Column, value: string | undefined): unknown {
  const text = shownText(value);
  if (text === undefined || kind === "text" || kind === "json") return text;
  const typed = READERS[kind](text);
  if (typed === undefined) {
    throw new ExportFailure("failed", `a record's ${name} is not a ${kind}; export it as jsonl, json or csv instead`);
  }
  return typed;
}

const READERS: Readonly<Record<Exclude<ColumnKind, "text" | "json">, (text: string) => unknown>> = {
  integer: (text) => (/^-?\d{1,18}$/.test(text) ? BigInt(text) : undefined),
  number: (text) => (Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  time: (text) => (Number.isNaN(Date.parse(text)) ? undefined : new Date(text)),
};
