import { ByteWriter, type ColumnSource, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import type { Column, Kind } from "./columns.ts";
import { type Encoder, propertiesOf, shownText } from "./encoder.ts";
import { ExportFailure } from "./failure.ts";
import { membersOf, type Row } from "./page.ts";

/** A row group ends at whichever comes first; both are counted on the records alone, so its bounds never vary. */
const GROUP_ROWS_MAX = 2_500;
const GROUP_CHARACTERS_MAX = 2_000_000;

type ColumnType = NonNullable<ColumnSource["type"]>;

const TYPES: Readonly<Record<Kind, ColumnType>> = {
  text: "STRING",
  json: "STRING",
  integer: "INT64",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  time: "TIMESTAMP",
};

/**
 * Parquet with typed, nullable columns, Snappy and statistics. Nested values are JSON text.
 *
 * One encoder writes one file from its start: its footer needs what it learned on the way.
 */
export function parquet(columns: readonly Column[]): Encoder {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "weir" });
  let group: unknown[][] = columns.map(() => []);
  let groupRows = 0;
  let groupCharacters = 0;

  const add = (row: Row) => {
    const members = membersOf(row);
    const properties = propertiesOf(members);
    for (const [index, column] of columns.entries()) {
      const { name, property } = column;
      group[index]?.push(property === undefined ? typedValue(column, members.get(name)) : properties.get(property));
    }
    groupCharacters += row.length;
    groupRows++;
  };
  const closeGroup = () => {
    const columnData = columns.map(({ name, kind }, index) => ({ name, data: group[index] ?? [], type: TYPES[kind] }));
    file.write({ columnData, rowGroupSize: groupRows });
    group = columns.map(() => []);
    groupRows = 0;
    groupCharacters = 0;
  };
  const take = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // `offset`, which the footer is made from, goes on counting
    return bytes;
  };

  return {
    head: take,
    rows(rows) {
      for (const row of rows) {
        add(row);
        if (groupRows === GROUP_ROWS_MAX || groupCharacters >= GROUP_CHARACTERS_MAX) closeGroup();
      }
      return take();
    },
    tail() {
      if (groupRows > 0) closeGroup();
      file.finish();
      return take();
    },
  };
}

function schemaOf(columns: readonly Column[]) {
  const empty = columns.map(({ name, kind }) => ({ name, data: [], type: TYPES[kind], nullable: true }));
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

const READERS: Readonly<Record<Exclude<Kind, "text" | "json">, (text: string) => unknown>> = {
  integer: (text) => (/^-?\d{1,18}$/.test(text) ? BigInt(text) : undefined),
  number: (text) => (Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  time: (text) => (Number.isNaN(Date.parse(text)) ? undefined : new Date(text)),
};
