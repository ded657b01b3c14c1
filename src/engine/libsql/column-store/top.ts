import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { EMPTY, raw } from "../../../filter/sql.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import { NUMBER_COLUMNS, type NumberColumn, SEQ } from "./columns.ts";
import type { Mask } from "./filter.ts";
import { askBlocks } from "./read.ts";
import type { BlockView } from "./view.ts";

/** Maximum records, including ties at the end of a page, that blocks select; beyond that the records are read. */
const CANDIDATES_MAX = 20_000;

/** Every record has a value. */
const NEVER_NULL: ReadonlySet<NumberColumn> = new Set(["request_created_at"]);

interface Top {
  readonly column: NumberColumn;
  readonly direction: "asc" | "desc";
  /** Minimum number of records after `after`. */
  readonly count: number;
  /** Only records with this value, all of them, and those after it. */
  readonly after: number | undefined;
}

/**
 * The `seq` of the first records in the order of a number, including all ties of the last one. Undefined when blocks cannot
 * determine them, or when records without a value would be among them.
 */
export async function top(
  database: Database,
  scope: Scope,
  wanted: Top,
  deadline: Deadline,
): Promise<number[] | undefined> {
  let found = new Candidates(wanted);
  const isDone = await askBlocks<{ seq: number; value: number | null }>(database, scope, deadline, (source) => ({
    outside: selectRecords(scope, raw(`r.seq as seq, ${NUMBER_COLUMNS[wanted.column]} as value`), EMPTY, { source }),
    begin: (rows) => {
      found = new Candidates(wanted);
      for (const { seq, value } of rows) if (value !== null) found.add(value, seq);
    },
    addBlock: async (view, mask) => found.addBlock(view, mask, wanted.column),
  }));
  return isDone ? found.seqs() : undefined;
}

class Candidates {
  readonly #sign: 1 | -1;
  readonly #count: number;
  readonly #isNeverNull: boolean;
  /** Signed so that the lowest values come first. */
  readonly #from: number;
  #equal: number[] = [];
  #values: number[] = [];
  #seqs: number[] = [];
  /** Values beyond it are not among the first. */
  #limit = Number.POSITIVE_INFINITY;

  constructor({ column, direction, count, after }: Top) {
    this.#isNeverNull = NEVER_NULL.has(column);
    this.#sign = direction === "asc" ? 1 : -1;
    this.#count = count;
    this.#from = after === undefined ? Number.NEGATIVE_INFINITY : after * this.#sign;
  }

  add(value: number, seq: number): void {
    const turned = value * this.#sign;
    if (turned === this.#from) this.#equal.push(seq);
    if (turned <= this.#from || turned > this.#limit) return;
    this.#values.push(turned);
    this.#seqs.push(seq);
    if (this.#values.length >= this.#count * 4 && this.#values.length >= 1_000) this.#prune();
  }

  async addBlock(view: BlockView, mask: Mask, column: NumberColumn): Promise<void> {
    if (mask === false) return;
    const numbers = await view.numbers(column);
    const sign = this.#sign;
    const from = this.#from;
    const rows: number[] = [];
    for (let row = 0; row < numbers.length; row++) {
      const value = numbers[row]! * sign;
      // Also false for NaN.
      if (value >= from && value <= this.#limit && (mask === true || mask[row] === 1)) rows.push(row);
    }
    if (rows.length === 0) return;
    const seqs = await view.numbers(SEQ);
    for (const row of rows) this.add(numbers[row]!, seqs[row]! + view.part.first_seq);
  }

  seqs(): number[] | undefined {
    this.#prune();
    if (this.#values.length < this.#count && !this.#isNeverNull) return undefined;
    const seqs = [...this.#equal, ...this.#seqs];
    return seqs.length > CANDIDATES_MAX ? undefined : seqs;
  }

  /** Keeps the first `count` values and all ties of the last one. */
  #prune(): void {
    if (this.#values.length < this.#count) return;
    const limit = Float64Array.from(this.#values).sort()[this.#count - 1]!;
    this.#limit = limit;
    const kept = [...this.#values.keys()].filter((at) => this.#values[at]! <= limit);
    this.#seqs = kept.map((at) => this.#seqs[at]!);
    this.#values = kept.map((at) => this.#values[at]!);
  }
}
