import type { Statement, Value } from "../../../store/store.ts";
import { type BlockRow, type BlockRows, KIND_TEXTS, type KindTexts, ROW_TEXTS } from "./block-rows.ts";
import { NumberRows, TextRows } from "./column-rows.ts";
import { erasedColumn, NUMBER_COLUMNS, type NumberColumn, propertyColumn, SEQ } from "./columns.ts";
import { packNumbers, packTexts } from "./packing.ts";

/** Maximum properties with columns in one block; if there are more, the most frequent ones. */
const NAMES_MAX = 64;
/** Records with longer texts are not put into blocks: they would slow down every query of the column. */
const TEXT_CHARS_MAX = 1_000;

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

const NUMBER_NAMES = Object.keys(NUMBER_COLUMNS) as NumberColumn[];
const CREATED = NUMBER_NAMES.indexOf("request_created_at");

/** Builds a block from its records, some at a time: together they would take ten times the memory of their columns. */
export class BlockBuilder {
  readonly #firstSeq: number;
  readonly #length: number;
  readonly #seqs: NumberRows;
  readonly #rowTexts: readonly TextRows[];
  readonly #kindTexts: readonly TextRows[];
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
    this.#rowTexts = ROW_TEXTS.map(() => new TextRows(length));
    this.#kindTexts = KIND_TEXTS.map(() => new TextRows(length));
    this.#numbers = NUMBER_NAMES.map(() => new NumberRows(length));
  }

  /** Adds the next records, after those added before. */
  add({ records, kinds, own, erased }: BlockRows): void {
    const rows = new Map<number, number>();
    for (const record of records) {
      // Missing if the record was changed or deleted after it was read.
      const texts = record.kind === null ? own.get(record.seq) : kinds.get(record.kind);
      const properties = texts && isPlain(record, texts) ? readProperties(record.properties) : undefined;
      if (texts === undefined || properties === undefined) {
        this.#odd.push(record.seq);
        continue;
      }
      const row = this.#organizations.length;
      rows.set(record.seq, row);
      this.#addRecord(record, texts, row);
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
    for (const [at, name] of ROW_TEXTS.entries()) columns.set(name, packTexts(this.#rowTexts[at]!.inOrder(order)));
    for (const [at, name] of KIND_TEXTS.entries()) columns.set(name, packTexts(this.#kindTexts[at]!.inOrder(order)));
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

  #addRecord(record: BlockRow, texts: KindTexts, row: number): void {
    this.#organizations.push(record.organization_id);
    this.#seqs.set(row, record.seq - this.#firstSeq);
    for (let at = 0; at < ROW_TEXTS.length; at++) {
      const value = record[ROW_TEXTS[at]!];
      if (value !== null) this.#rowTexts[at]!.set(row, value);
    }
    for (let at = 0; at < KIND_TEXTS.length; at++) {
      const value = texts[KIND_TEXTS[at]!];
      if (value !== null) this.#kindTexts[at]!.set(row, value);
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
function isPlain(row: BlockRow, texts: KindTexts): boolean {
  if (row.properties.length > TEXT_CHARS_MAX * 4) return false;
  for (const name of NUMBER_NAMES) {
    const value = row[name];
    if (value === null) continue;
    if (typeof value !== "number" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  }
  for (const name of ROW_TEXTS) if ((row[name]?.length ?? 0) > TEXT_CHARS_MAX) return false;
  for (const name of KIND_TEXTS) if ((texts[name]?.length ?? 0) > TEXT_CHARS_MAX) return false;
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
