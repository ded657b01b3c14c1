import type { Database, Store } from "../store.ts";
import { shardOf, shards, tableOf } from "./shards.ts";

/**
 * Removes records from the index, so that searches no longer find them. Their words leave the file when the table is
 * rewritten (`erase.ts`).
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

/** Removes those of these records from the index that do not exist, which a crash left. @returns number of records. */
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
