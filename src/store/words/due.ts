import type { Database, Statement } from "../store.ts";

/**
 * Which records' words are not in the index yet. The recorder puts them there some thousands at a time, which costs half
 * of what each commit's own would; what it has in memory until then is lost with the process, this list is not.
 */
export function noteDue(seqs: readonly number[]): Statement {
  return { sql: "insert into words_due (seqs) values (?)", args: [JSON.stringify(seqs)] };
}

/** For the transaction that puts all of them into the index. */
export const FORGET_DUE: Statement = { sql: "delete from words_due", args: [] };

/** Their numbers in ascending order. */
export async function readDue(bodies: Database): Promise<number[]> {
  const sql = "select distinct value as seq from words_due, json_each(seqs) order by seq";
  return (await bodies.query<{ seq: number }>({ sql, args: [] })).map(({ seq }) => seq);
}
