import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isHeld } from "../../../filter/outside-blocks.ts";
import type { Statement, Store } from "../../../store/store.ts";
import { readBlockRows } from "./block-rows.ts";
import { BlockBuilder, insertBlock } from "./build.ts";

/** Lengths of blocks in `seq` numbers; the long one is a multiple of the short one. */
export interface BlockSizes {
  /** For the newest records; metrics read records individually until this many exist. */
  readonly short: number;
  /** For older records: fewer blocks, which store each text once. */
  readonly long: number;
  /** A block is rebuilt when this many of its records have changed. */
  readonly changesMax: number;
}

const BLOCK_SIZES: BlockSizes = { short: 8_192, long: 65_536, changesMax: 1_024 };

/** Records read before other work on this thread and other writers get a turn. */
const STEP_ROWS = 1_000;
/** Time limit for reading which blocks exist. */
const READ_MS_MAX = 10_000;

/** A range of `seq`, both ends included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * Builds the next block that is missing or outdated, newest first. Call it repeatedly until it returns undefined. Several
 * programs may do so on one database: if two build the same block, one fails.
 *
 * @returns the last `seq` of the block; undefined when none is left.
 */
export async function makeNextBlock(store: Store, sizes: BlockSizes = BLOCK_SIZES): Promise<number | undefined> {
  const range = (await missing(store, sizes)) ?? (await wornOut(store, sizes));
  if (range === undefined) return undefined;
  await makeBlock(store, range);
  return range.last;
}

/** The range of record numbers, and the existing blocks. */
interface Numbers {
  readonly oldest: number;
  readonly newest: number;
  readonly blocks: readonly Range[];
}

async function missing({ records }: Store, sizes: BlockSizes): Promise<Range | undefined> {
  const [ends, blocks] = (await records.queryTogether(
    [
      {
        sql: `select coalesce((select min(seq) from requests), 1) as oldest,
          max(coalesce((select max(seq) from requests), 0), coalesce((select max(last_seq) from blocks), 0)) as newest`,
        args: [],
      },
      { sql: "select first_seq as first, last_seq as last from blocks", args: [] },
    ],
    { deadlineMs: READ_MS_MAX },
  )) as [{ oldest: number; newest: number }[], Range[]];
  return nextMissing({ ...ends[0]!, blocks }, sizes);
}

/**
 * The newest range without its block. Ranges are cells of the long length. Each cell gets one long block, except the newest,
 * incomplete cell: it gets short blocks, which one long block later replaces.
 */
export function nextMissing({ oldest, newest, blocks }: Numbers, { short, long }: BlockSizes): Range | undefined {
  const lengths = new Map(blocks.map(({ first, last }) => [first, last - first + 1]));
  const full = newest - (newest % long);
  for (let last = newest - (newest % short); last > full && last >= oldest; last -= short) {
    if (!lengths.has(last - short + 1)) return { first: last - short + 1, last };
  }
  for (let last = full; last >= oldest; last -= long) {
    if (lengths.get(last - long + 1) !== long) return { first: last - long + 1, last };
  }
  return undefined;
}

/** A block with many changed records. */
async function wornOut({ records }: Store, { changesMax }: BlockSizes): Promise<Range | undefined> {
  const [row] = await records.query<Range>({
    sql: `select b.first_seq as first, b.last_seq as last from blocks b
      where (select count(*) from block_changes c where c.seq between b.first_seq and b.last_seq) >= b.odd_rows + ?
      order by b.first_seq desc limit 1`,
    args: [changesMax],
  });
  return row;
}

/**
 * Changes are noted while the block is built, from before the first record is read. Those notes stay; only older ones
 * that were not written again are deleted with the old block.
 */
async function makeBlock({ records }: Store, { first, last }: Range): Promise<void> {
  const token = randomUUID();
  await records.batch([
    { sql: "update block_watch set seq = max(seq, ?), token = ? where id = 1", args: [last, token] },
    // Notes outside of blocks have no effect. A program that is reading such records now will fail, because its token is
    // gone.
    { sql: `delete from block_changes where not ${isHeld("block_changes.seq")}`, args: [] },
    { sql: "update block_changes set taken = 1 where seq between ? and ?", args: [first, last] },
  ]);
  const builder = new BlockBuilder(first, last - first + 1);
  for (let at = first; ; ) {
    const step = await readBlockRows(records, at, last, STEP_ROWS);
    builder.add(step);
    if (step.records.length < STEP_ROWS) break;
    at = step.records.at(-1)!.seq + 1;
    await nextTurn();
  }
  const block = builder.build();
  await records.batch([
    onlyWith(token),
    ...removeBlocks({ first, last }),
    ...insertBlock(block, first, last),
    { sql: "delete from block_changes where seq between ? and ? and taken = 1", args: [first, last] },
    {
      sql: "insert or ignore into block_changes (seq) select value from json_each(?)",
      args: [JSON.stringify(block.odd)],
    },
  ]);
}

/** Fails, with its transaction, when another program has started to build a block meanwhile: `token` may not be null. */
function onlyWith(token: string): Statement {
  return { sql: "update block_watch set token = case when token = ? then token end where id = 1", args: [token] };
}

function removeBlocks({ first, last }: Range): Statement[] {
  const ids = "(select id from blocks where first_seq >= ? and last_seq <= ?)";
  return [
    { sql: `delete from block_columns where block in ${ids}`, args: [first, last] },
    { sql: `delete from block_parts where block in ${ids}`, args: [first, last] },
    { sql: "delete from blocks where first_seq >= ? and last_seq <= ?", args: [first, last] },
  ];
}
