import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import { columnCacheOf } from "./column-cache.ts";
import { erasedColumn, type NumberColumn, propertyColumn, SEQ, type TextColumn } from "./columns.ts";
import { type Numbers, type Texts, unpackNumbers, unpackTexts } from "./packing.ts";

/** The rows of one block that belong to one organization. */
export interface BlockPart {
  readonly block: number;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly first_row: number;
  readonly rows: number;
  /** Times of the first and the last creation. */
  readonly first_created: number;
  readonly last_created: number;
  readonly names_complete: number;
}

/** The block was replaced meanwhile: the query is retried. */
export class BlockGone extends Error {}

/** This block cannot answer the query: the records are read instead. */
export class BlockUnfit extends Error {}

/** Columns of one part, read on demand. All have `part.rows` rows, and must not be modified. */
export class BlockView {
  readonly part: BlockPart;
  readonly #database: Database;
  readonly #deadline: Deadline;

  constructor(database: Database, part: BlockPart, deadline: Deadline) {
    this.#database = database;
    this.part = part;
    this.#deadline = deadline;
  }

  async numbers(name: NumberColumn | typeof SEQ): Promise<Numbers> {
    const numbers = await this.#column(name, unpackNumbers, (column) => column.byteLength);
    if (numbers === undefined) throw new BlockGone();
    return this.#rows(numbers);
  }

  async texts(name: TextColumn): Promise<Texts> {
    const texts = await this.#column(name, unpackTexts, bytesOfTexts);
    if (texts === undefined) throw new BlockGone();
    return this.#own(texts);
  }

  /** Values of a property under that stored name; all null when no record has it. */
  async property(name: string): Promise<Texts> {
    const texts = await this.#column(propertyColumn(name), unpackTexts, bytesOfTexts);
    if (texts !== undefined) return this.#own(texts);
    await this.#missing();
    return { codes: new Uint32Array(this.part.rows), values: [] };
  }

  /** 1 when the property's name had lost its case; undefined when no name had. */
  async erased(name: string): Promise<Numbers | undefined> {
    const numbers = await this.#column(erasedColumn(name), unpackNumbers, (column) => column.byteLength);
    if (numbers !== undefined) return this.#rows(numbers);
    // These marks exist only for names that have a column of values.
    if (this.part.names_complete === 0) await this.property(name);
    return undefined;
  }

  /** If every name has a column, a name without one occurs in no record; a removed block has no columns at all. */
  async #missing(): Promise<void> {
    if (this.part.names_complete === 0) throw new BlockUnfit();
    if ((await this.#read(SEQ)) === undefined) throw new BlockGone();
  }

  async #column<T extends object>(
    name: string,
    unpack: (packed: Uint8Array) => T,
    bytesOf: (column: T) => number,
  ): Promise<T | undefined> {
    const cache = columnCacheOf(this.#database);
    const key = `${this.part.block} ${name}`;
    const known = cache.get<T>(key);
    if (known !== undefined) return known;
    const packed = await this.#read(name);
    if (packed === undefined) return undefined;
    const column = unpack(packed);
    cache.put(key, column, bytesOf(column));
    return column;
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    this.#deadline.rest();
    const [row] = await this.#database.query<{ data: Uint8Array }>({
      sql: "select data from block_columns where block = ? and name = ?",
      args: [this.part.block, name],
    });
    return row?.data;
  }

  #rows<T extends Numbers | Uint32Array>(all: T): T {
    const { first_row, rows } = this.part;
    return all.subarray(first_row, first_row + rows) as T;
  }

  #own({ codes, values }: Texts): Texts {
    return { codes: this.#rows(codes), values };
  }
}

/** Approximate: a text takes at most two bytes per character, plus its object. */
function bytesOfTexts({ codes, values }: Texts): number {
  return values.reduce((bytes, value) => bytes + value.length * 2 + 40, codes.byteLength);
}
