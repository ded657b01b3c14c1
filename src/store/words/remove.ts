import type { Database, Store } from "../store.ts";
import { shardOf, shards, tableOf } from "./shards.ts";

/**
 * Takes records out of the index: they are not found any more. Their words leave the file when the table is rewritten
 * (`erase.ts`).
 */
export async function removeWords(bodies: Database, seqs: readonly number[]): Promise<void> {
  const there = new Set((await shards(bodies)).map(({ shard }) => shard));
  const statements = [...Map.groupBy(seqs, shardOf)].flatMap(([shard, group]) => {
    if (!there.has(shard)) return [];
    const sql = `delete from ${tableOf(shard)} where rowid in (select value from json_each(?))`;
    return [
      { sql, args: [JSON.stringify(group)] },
      { sql: "update word_shards set removals = removals + 1 where shard = ?", args: [shard] },
    ];
  });
  if (statements.length > 0) await bodies.batch(statements);
}

/** Takes those of these records out of the index that do not exist: a crash left them. @returns how many. */
export async function removeLost({ records, bodies }: Store, seqs: readonly number[]): Promise<number> {
  const known = await records.query<{ seq: number }>({
    sql: "select seq from requests where seq in (select value from json_each(?))",
    args: [JSON.stringify(seqs)],
  });
  const there = new Set(known.map(({ seq }) => seq));
  const lost = seqs.filter((seq) => !there.has(seq));
  if (lost.length > 0) await removeWords(bodies, lost);
  return lost.length;
}
