import { WITH_KIND, withKinds } from "../../../record/kinds.ts";
import type { Statement, Value } from "../../../store/store.ts";
import {
  erasedColumn,
  NUMBER_COLUMNS,
  type NumberColumn,
  propertyColumn,
  SEQ,
  TEXT_COLUMNS,
  type TextColumn,
} from "./columns.ts";
import { packNumbers, packTexts } from "./packing.ts";

/** Maximum properties with columns in one block; if there are more, the most frequent ones. */
const NAMES_MAX = 64;
/** Records with longer texts are not put into blocks: they would slow down every query of the column. */
const TEXT_CHARS_MAX = 1_000;

/** The columns of a record that a block is built from. */
export type BlockRow = Readonly<Record<TextColumn, string | null> & Record<NumberColumn, number | null>> & {
  readonly seq: number;
  readonly organization_id: string;
  /** JSON object of name to value. */
  readonly properties: string;
};

/** Names that lost their case, by record; queried only for records with a name without capitals. */
export const ERASED_NAMES = `select p.seq, p.name from json_each(?) w
  cross join properties p on p.seq = w.value where p.kind = 0 and p.case_erased`;

export interface ErasedName {
  readonly seq: number;
  readonly name: string;
}

/** Matches a name without ASCII capitals in a JSON object of strings; a value may match too. */
const UNCAPITALISED = /"[^"A-Z]*":"/;

export function mayHaveErasedNames({ properties }: BlockRow): boolean {
  return properties !== "{}" && UNCAPITALISED.test(properties);
}

/** At most ?3 rows from ?1 to ?2. */
export const BLOCK_ROWS = withKinds(`select r.seq, r.organization_id, r.properties,
  ${[...Object.entries(TEXT_COLUMNS), ...Object.entries(NUMBER_COLUMNS)].map(([name, sql]) => `${sql} as ${name}`).join(", ")}
  from requests r ${WITH_KIND} where r.seq >= ?1 and r.seq <= ?2 order by r.seq limit ?3`);

type Properties = readonly (readonly [name: string, value: string])[];

interface BuiltBlock {
  /** Packed columns by name. */
  readonly columns: ReadonlyMap<string, Uint8Array>;
  readonly parts: readonly BuiltPart[];
  readonly rows: number;
  readonly namesComplete: boolean;
  /** Records that a block cannot represent exactly; they are read individually. */
  readonly odd: readonly number[];
}

interface BuiltPart {
  readonly organizationId: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly firstCreated: number;
  readonly lastCreated: number;
}

/** @param all - rows ordered by `seq`. @param firstSeq - the start of the block. */
export function buildBlock(all: readonly BlockRow[], erased: readonly ErasedName[], firstSeq: number): BuiltBlock {
  const odd: number[] = [];
  const rows: BlockRow[] = [];
  const properties = new Map<BlockRow, Properties>();
  for (const row of all) {
    const read = isPlain(row) ? readProperties(row.properties) : undefined;
    if (read === undefined) odd.push(row.seq);
    else {
      rows.push(row);
      properties.set(row, read);
    }
  }
  rows.sort((a, b) => (a.organization_id < b.organization_id ? -1 : Number(a.organization_id > b.organization_id)));
  const columns = new Map<string, Uint8Array>([[SEQ, packNumbers(rows.map(({ seq }) => seq - firstSeq))]]);
  for (const name of Object.keys(TEXT_COLUMNS) as TextColumn[])
    columns.set(name, packTexts(rows.map((row) => row[name])));
  for (const name of Object.keys(NUMBER_COLUMNS) as NumberColumn[]) {
    columns.set(name, packNumbers(rows.map((row) => row[name])));
  }
  const namesComplete = addProperties(rows, properties, columns);
  addErased(rows, erased, columns);
  return { columns, parts: partsOf(rows), rows: rows.length, namesComplete, odd };
}

/** Whether floating point represents every number of the record exactly, and its texts are short. */
function isPlain(row: BlockRow): boolean {
  if (row.properties.length > TEXT_CHARS_MAX * 4) return false;
  for (const name of Object.keys(NUMBER_COLUMNS) as NumberColumn[]) {
    const value = row[name];
    if (value === null) continue;
    if (typeof value !== "number" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  }
  for (const name of Object.keys(TEXT_COLUMNS) as TextColumn[]) {
    if ((row[name]?.length ?? 0) > TEXT_CHARS_MAX) return false;
  }
  return true;
}

const NONE: Properties = [];

/** Undefined when the text is not valid for a record's properties. */
function readProperties(json: string): Properties | undefined {
  if (json === "{}") return NONE;
  try {
    const entries = Object.entries(JSON.parse(json) as Record<string, string>);
    return entries.every(([, value]) => typeof value === "string") ? entries : undefined;
  } catch {
    return undefined;
  }
}

function addProperties(
  rows: readonly BlockRow[],
  properties: ReadonlyMap<BlockRow, Properties>,
  columns: Map<string, Uint8Array>,
): boolean {
  const values = new Map<string, (string | null)[]>();
  const counts = new Map<string, number>();
  for (const [at, row] of rows.entries()) {
    for (const [name, value] of properties.get(row)!) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      // Bounds memory when clients use values as names, before the frequent names are selected.
      if (counts.size > NAMES_MAX * 4 && !values.has(name)) continue;
      listOf(values, name, rows.length)[at] = value;
    }
  }
  const complete = counts.size <= NAMES_MAX;
  const kept = [...values].sort(([a], [b]) => counts.get(b)! - counts.get(a)!).slice(0, NAMES_MAX);
  for (const [name, list] of kept) columns.set(propertyColumn(name), packTexts(list));
  return complete;
}

function addErased(rows: readonly BlockRow[], erased: readonly ErasedName[], columns: Map<string, Uint8Array>): void {
  const places = new Map(rows.map(({ seq }, place) => [seq, place]));
  const marks = new Map<string, (number | null)[]>();
  for (const { seq, name } of erased) {
    const place = places.get(seq);
    if (place !== undefined && columns.has(propertyColumn(name))) listOf(marks, name, rows.length)[place] = 1;
  }
  for (const [name, list] of marks) columns.set(erasedColumn(name), packNumbers(list));
}

function listOf<T>(lists: Map<string, (T | null)[]>, name: string, length: number): (T | null)[] {
  let list = lists.get(name);
  if (list === undefined) {
    list = new Array<T | null>(length).fill(null);
    lists.set(name, list);
  }
  return list;
}

/** Runs of rows of the same organization. */
function partsOf(rows: readonly BlockRow[]): BuiltPart[] {
  const parts: BuiltPart[] = [];
  for (let first = 0; first < rows.length; ) {
    const organizationId = rows[first]!.organization_id;
    let firstCreated = Number.POSITIVE_INFINITY;
    let lastCreated = Number.NEGATIVE_INFINITY;
    let end = first;
    for (; end < rows.length && rows[end]!.organization_id === organizationId; end++) {
      const created = rows[end]!.request_created_at!;
      if (created < firstCreated) firstCreated = created;
      if (created > lastCreated) lastCreated = created;
    }
    parts.push({ organizationId, firstRow: first, rows: end - first, firstCreated, lastCreated });
    first = end;
  }
  return parts;
}

/** Statements that insert a block with the next number. */
export function insertBlock(block: BuiltBlock, firstSeq: number, lastSeq: number): Statement[] {
  const id = "(select max(id) from blocks)";
  const insert = (table: string, names: string, values: readonly Value[]): Statement => ({
    sql: `insert into ${table} (block, ${names}) values (${id}${", ?".repeat(values.length)})`,
    args: values,
  });
  return [
    {
      sql: "insert into blocks (first_seq, last_seq, rows, odd_rows, names_complete) values (?, ?, ?, ?, ?)",
      args: [firstSeq, lastSeq, block.rows, block.odd.length, block.namesComplete ? 1 : 0],
    },
    ...block.parts.map((part) =>
      insert("block_parts", "organization_id, first_row, rows, first_created, last_created", [
        part.organizationId,
        part.firstRow,
        part.rows,
        part.firstCreated,
        part.lastCreated,
      ]),
    ),
    ...[...block.columns].map(([name, data]) => insert("block_columns", "name, data", [name, data])),
  ];
}
