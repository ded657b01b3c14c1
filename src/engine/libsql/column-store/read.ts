import { setImmediate as nextTurn } from "node:timers/promises";
import { countCreated, type Source } from "../../../filter/access-path.ts";
import { boundsOf, creationBounds } from "../../../filter/bounds.ts";
import type { SqlStatement } from "../../../filter/parameters.ts";
import type { Scope } from "../../../filter/scope.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import { SEQ } from "./columns.ts";
import { type BlockTest, blockTest, type Mask } from "./filter.ts";
import { BlockGone, type BlockPart, BlockUnfit, BlockView } from "./view.ts";
import { withoutBlock } from "./waiting.ts";

/** With more changes than this, blocks help little and cost much. */
const CHANGES_MAX = 100_000;
/** How often a query is retried because a block was replaced meanwhile. */
const TRIES = 3;

/** Up to this many records without a block are selected by number: they are usually the newest ones. */
const WAITING_FEW = 20_000;
/** How many entries of the time index can be read at the cost of one record. */
const ENTRIES_A_RECORD = 4;

/** Collects the results of blocks, part by part, and of the other records from one statement. */
interface BlockQuestion<Row> {
  /** Selects the records outside of blocks. */
  readonly outside: SqlStatement;
  /** Called first, again for each retry. */
  readonly begin: (rows: readonly Row[]) => void;
  readonly addBlock: (view: BlockView, mask: Mask) => Promise<void>;
}

/** Number of the organization's records in blocks that overlap the filter's creation bounds. */
export async function rowsInBlocks(database: Database, scope: Scope): Promise<number> {
  const parts = await database.query<BlockPart>(partsOf(scope));
  return parts.reduce((rows, part) => rows + part.rows, 0);
}

/**
 * Queries blocks, and records for everything outside of blocks.
 *
 * The result is a snapshot: existing blocks, changes since they were built, and records outside of them are read in one
 * transaction; blocks themselves never change. Runs on the calling thread, a few milliseconds at a time.
 *
 * @param question - makes the query; `outside` is the source of records without a block, and of those that changed.
 * @returns false if the query cannot be computed from blocks.
 */
export async function askBlocks<Row>(
  database: Database,
  scope: Scope,
  deadline: Deadline,
  question: (outside: Source) => BlockQuestion<Row>,
): Promise<boolean> {
  const test = blockTest(scope.tree, database);
  if (test === undefined) return false;
  const outside = await outsideOf(database, scope, deadline);
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await ask(database, scope, deadline, { test, question: question(outside) });
    } catch (error) {
      if (error instanceof BlockUnfit) return false;
      if (!(error instanceof BlockGone)) throw error;
    }
  }
  return false;
}

async function ask<Row>(
  database: Database,
  scope: Scope,
  deadline: Deadline,
  { test, question }: { readonly test: BlockTest; readonly question: BlockQuestion<Row> },
): Promise<boolean> {
  const [few] = await database.query<{ n: number }>({
    sql: `select count(*) as n from (select 1 from block_changes limit ${CHANGES_MAX + 1})`,
    args: [],
  });
  if (few!.n > CHANGES_MAX) return false;
  const [parts, changes, outside] = (await database.queryTogether(
    [partsOf(scope), CHANGES, question.outside],
    deadline.rest(),
  )) as [BlockPart[], { seq: number }[], Row[]];
  question.begin(outside);
  for (const part of parts) {
    const view = new BlockView(database, part, deadline);
    const mask = await test(view);
    await question.addBlock(view, await withoutChanged(view, mask, changes));
    await nextTurn();
  }
  return true;
}

/** When many records have no block, most of them may be older than the requested time. */
async function outsideOf(database: Database, scope: Scope, deadline: Deadline): Promise<Source> {
  const byNumber: Source = { kind: "outside blocks", by: "number" };
  const bounds = creationBounds(scope.tree);
  const waiting = bounds.length === 0 ? 0 : await withoutBlock({ records: database });
  if (waiting <= WAITING_FEW) return byNumber;
  const most = waiting * ENTRIES_A_RECORD;
  const [row] = await database.query<{ n: number }>(countCreated(scope, bounds, most), deadline.rest());
  return row!.n > most ? byNumber : { kind: "outside blocks", by: "creation" };
}

/** The organization's parts that overlap the filter's creation bounds. */
function partsOf(scope: Scope): SqlStatement {
  const { least, most } = boundsOf(scope.tree);
  return {
    sql: `select p.block, b.first_seq, b.last_seq, p.first_row, p.rows, p.first_created, p.last_created, b.names_complete
      from block_parts p join blocks b on b.id = p.block
      where p.organization_id = ? and p.last_created >= ? and p.first_created <= ? order by b.first_seq desc`,
    args: [scope.organizationId, least, most],
  };
}

const CHANGES: SqlStatement = {
  sql: "select seq from block_changes order by seq",
  args: [],
};

/** Masks out records that changed since the block was built: they are among the records outside. */
async function withoutChanged(view: BlockView, mask: Mask, changes: readonly { seq: number }[]): Promise<Mask> {
  const { first_seq, last_seq, rows } = view.part;
  const end = placeOf(changes.length, (at) => changes[at]!.seq > last_seq);
  let at = placeOf(changes.length, (place) => changes[place]!.seq >= first_seq);
  if (mask === false || at === end) return mask;
  const seqs = await view.numbers(SEQ);
  const kept = mask === true ? new Uint8Array(rows).fill(1) : mask;
  for (; at < end; at++) {
    const seq = changes[at]!.seq - first_seq;
    const row = placeOf(rows, (place) => seqs[place]! >= seq);
    if (seqs[row] === seq) kept[row] = 0;
  }
  return kept;
}

/** The first position for which the test holds; it must hold for all later ones too. */
function placeOf(length: number, test: (place: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
