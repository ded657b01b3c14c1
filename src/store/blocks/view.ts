import type { Deadline } from "../deadline.ts";
import type { Database } from "../store.ts";
import { erasedColumn, type NumberColumn, propertyColumn, SEQ, type TextColumn } from "./columns.ts";
import { type Numbers, type Texts, unpackNumbers, unpackTexts } from "./packing.ts";

/** The rows of one block that are an organization's. */
export interface Part {
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

/** Another block stands in place of this one by now: the question is asked again. */
export class BlockGone extends Error {}

/** This block cannot answer the question: the records can. */
export class BlockUnfit extends Error {}

/** Columns of one part, read when they are first asked for. All have `part.rows` rows. */
export class BlockView {
  readonly part: Part;
  readonly #database: Database;
  readonly #deadline: Deadline;
  readonly #numbers = new Map<string, Promise<Numbers>>();
  readonly #texts = new Map<string, Promise<Texts>>();

  constructor(database: Database, part: Part, deadline: Deadline) {
    this.#database = database;
    this.part = part;
    this.#deadline = deadline;
  }

  numbers(name: NumberColumn | typeof SEQ): Promise<Numbers> {
    return kept(this.#numbers, name, async () => {
      const packed = await this.#read(name);
      if (packed === undefined) throw new BlockGone();
      return this.#rows(unpackNumbers(packed));
    });
  }

  texts(name: TextColumn): Promise<Texts> {
    return kept(this.#texts, name, async () => {
      const packed = await this.#read(name);
      if (packed === undefined) throw new BlockGone();
      return this.#own(unpackTexts(packed));
    });
  }

  /** Values of a property under that stored name; all null where no record has it. */
  property(name: string): Promise<Texts> {
    return kept(this.#texts, propertyColumn(name), async () => {
      const packed = await this.#read(propertyColumn(name));
      if (packed !== undefined) return this.#own(unpackTexts(packed));
      await this.#missing();
      return { codes: new Uint32Array(this.part.rows), values: [] };
    });
  }

  /** 1 where the property's name had lost its case; undefined where that is so nowhere. */
  async erased(name: string): Promise<Numbers | undefined> {
    const packed = await this.#read(erasedColumn(name));
    return packed === undefined ? undefined : this.#rows(unpackNumbers(packed));
  }

  /** A name without a column is a name that nobody has, where all have one; and a block that is gone has none. */
  async #missing(): Promise<void> {
    if (this.part.names_complete === 0) throw new BlockUnfit();
    if ((await this.#read(SEQ)) === undefined) throw new BlockGone();
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

function kept<T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  let made = known.get(name);
  if (made === undefined) {
    made = make();
    known.set(name, made);
  }
  return made;
}
