import type { Database, Statement } from "../store.ts";

/**
 * Notes records whose words are not in the index yet. The recorder indexes some thousands at a time, which costs half as much
 * as indexing in each commit. What it holds in memory is lost with the process; this list is not.
 */
export function noteDue(seqs: readonly number[]): Statement {
  return { sql: "insert into words_due (seqs) values (?)", args: [JSON.stringify(seqs)] };
}

/** Part of the transaction that indexes all of them. */
export const FORGET_DUE: Statement = { sql: "delete from words_due", args: [] };

/** Record numbers in ascending order. */
export async function readDue(bodies: Database): Promise<number[]> {
  const sql = "select distinct value as seq from words_due, json_each(seqs) order by seq";
  return (await bodies.query<{ seq: number }>({ sql, args: [] })).map(({ seq }) => seq);
}
