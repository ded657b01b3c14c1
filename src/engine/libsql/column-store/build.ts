import { WITH_KIND, withKinds } from "../../../record/kinds.ts";
import type { Statement, Value } from "../../../store/store.ts";
import { NumberRows, TextRows } from "./column-rows.ts";
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

type Properties = Readonly<Record<string, string>>;

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

const TEXT_NAMES = Object.keys(TEXT_COLUMNS) as TextColumn[];
const NUMBER_NAMES = Object.keys(NUMBER_COLUMNS) as NumberColumn[];
const CREATED = NUMBER_NAMES.indexOf("request_created_at");

/** Builds a block from its records, some at a time: together they would take ten times the memory of their columns. */
export class BlockBuilder {
  readonly #firstSeq: number;
  readonly #length: number;
  readonly #seqs: NumberRows;
  readonly #texts: readonly TextRows[];
  readonly #numbers: readonly NumberRows[];
  readonly #properties = new Map<string, TextRows>();
  /** Records with each property. */
  readonly #counts = new Map<string, number>();
  readonly #erased = new Map<string, NumberRows>();
  /** Of each row. */
  readonly #organizations: string[] = [];
  readonly #odd: number[] = [];

  /** @param firstSeq - the start of the block. @param length - the most records that it can have. */
  constructor(firstSeq: number, length: number) {
    this.#firstSeq = firstSeq;
    this.#length = length;
    this.#seqs = new NumberRows(length);
    this.#texts = TEXT_NAMES.map(() => new TextRows(length));
    this.#numbers = NUMBER_NAMES.map(() => new NumberRows(length));
  }

  /** @param records - in the order of `seq`, after those added before. */
  add(records: readonly BlockRow[], erased: readonly ErasedName[]): void {
    const rows = new Map<number, number>();
    for (const record of records) {
      const properties = isPlain(record) ? readProperties(record.properties) : undefined;
      if (properties === undefined) {
        this.#odd.push(record.seq);
        continue;
      }
      const row = this.#organizations.length;
      rows.set(record.seq, row);
      this.#addRecord(record, row);
      for (const name in properties) this.#addProperty(row, name, properties[name]!);
    }
    for (const { seq, name } of erased) {
      const row = rows.get(seq);
      // Only names that may get a column, because clients use values as names.
      if (row !== undefined && this.#properties.has(name)) this.#rowsOf(this.#erased, name, NumberRows).set(row, 1);
    }
  }

  build(): BuiltBlock {
    const order = this.#byOrganization();
    const columns = new Map<string, Uint8Array>([[SEQ, packNumbers(this.#seqs.inOrder(order))]]);
    for (const [at, name] of TEXT_NAMES.entries()) columns.set(name, packTexts(this.#texts[at]!.inOrder(order)));
    for (const [at, name] of NUMBER_NAMES.entries()) columns.set(name, packNumbers(this.#numbers[at]!.inOrder(order)));
    const kept = [...this.#properties]
      .sort(([a], [b]) => this.#counts.get(b)! - this.#counts.get(a)!)
      .slice(0, NAMES_MAX);
    for (const [name, rows] of kept) columns.set(propertyColumn(name), packTexts(rows.inOrder(order)));
    for (const [name, rows] of this.#erased) {
      if (columns.has(propertyColumn(name))) columns.set(erasedColumn(name), packNumbers(rows.inOrder(order)));
    }
    const namesComplete = this.#counts.size <= NAMES_MAX;
    return { columns, parts: this.#parts(order), rows: order.length, namesComplete, odd: this.#odd };
  }

  #addRecord(record: BlockRow, row: number): void {
    this.#organizations.push(record.organization_id);
    this.#seqs.set(row, record.seq - this.#firstSeq);
    for (let at = 0; at < TEXT_NAMES.length; at++) {
      const value = record[TEXT_NAMES[at]!];
      if (value !== null) this.#texts[at]!.set(row, value);
    }
    for (let at = 0; at < NUMBER_NAMES.length; at++) {
      const value = record[NUMBER_NAMES[at]!];
      if (value !== null) this.#numbers[at]!.set(row, value);
    }
  }

  #addProperty(row: number, name: string, value: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    // Bounds memory when clients use values as names, before the frequent names are selected.
    if (this.#counts.size > NAMES_MAX * 4 && !this.#properties.has(name)) return;
    this.#rowsOf(this.#properties, name, TextRows).set(row, value);
  }

  #rowsOf<T>(lists: Map<string, T>, name: string, Rows: new (length: number) => T): T {
    let rows = lists.get(name);
    if (rows === undefined) {
      rows = new Rows(this.#length);
      lists.set(name, rows);
    }
    return rows;
  }

  /** Rows of one organization together, each in the order of `seq`. */
  #byOrganization(): Uint32Array {
    const organizations = this.#organizations;
    const order = Uint32Array.from(organizations.keys());
    if (organizations.every((organization) => organization === organizations[0])) return order;
    return order.sort((a, b) => {
      const [one, other] = [organizations[a]!, organizations[b]!];
      return one === other ? a - b : one < other ? -1 : 1;
    });
  }

  /** Runs of rows of the same organization. */
  #parts(order: Uint32Array): BuiltPart[] {
    const parts: BuiltPart[] = [];
    const created = this.#numbers[CREATED]!.inOrder(order);
    for (let first = 0; first < order.length; ) {
      const organizationId = this.#organizations[order[first]!]!;
      let firstCreated = Number.POSITIVE_INFINITY;
      let lastCreated = Number.NEGATIVE_INFINITY;
      let end = first;
      for (; end < order.length && this.#organizations[order[end]!] === organizationId; end++) {
        const time = created[end]!;
        if (time < firstCreated) firstCreated = time;
        if (time > lastCreated) lastCreated = time;
      }
      parts.push({ organizationId, firstRow: first, rows: end - first, firstCreated, lastCreated });
      first = end;
    }
    return parts;
  }
}

/** Whether floating point represents every number of the record exactly, and its texts are short. */
function isPlain(row: BlockRow): boolean {
  if (row.properties.length > TEXT_CHARS_MAX * 4) return false;
  for (const name of NUMBER_NAMES) {
    const value = row[name];
    if (value === null) continue;
    if (typeof value !== "number" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  }
  for (const name of TEXT_NAMES) {
    if ((row[name]?.length ?? 0) > TEXT_CHARS_MAX) return false;
  }
  return true;
}

const NONE: Properties = {};

/** Undefined when the text is not valid for a record's properties. */
function readProperties(json: string): Properties | undefined {
  if (json === "{}") return NONE;
  try {
    const properties = JSON.parse(json) as Properties;
    for (const name in properties) if (typeof properties[name] !== "string") return undefined;
    return properties;
  } catch {
    return undefined;
  }
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
