import type { Database, Statement } from "../store.ts";

/**
 * Notes records whose words are not in the index yet. The recorder indexes some thousands at a time, which costs half as much
 * as indexing in each commit. What it holds in memory is lost with the process; this list is not.
 */
export function noteDue(seqs: readonly number[]): Statement {
  return { sql: "insert into words_due (seqs) values (?)", args: [JSON.stringify(seqs)] };
}

/** Forgets the notes after this one: part of the transaction that indexes their records. */
export function forgetAfter(note: number): Statement {
  return { sql: "delete from words_due where id > ?", args: [note] };
}

/** Forgets the notes up to this one. */
export function forgetUpTo(note: number): Statement {
  return { sql: "delete from words_due where id <= ?", args: [note] };
}

/** 0 without a note. A later note has a higher number. */
export async function newestNote(bodies: Database): Promise<number> {
  const [row] = await bodies.query<{ id: number | null }>({ sql: "select max(id) as id from words_due", args: [] });
  return row?.id ?? 0;
}

/** Record numbers in ascending order, of the notes up to this one. */
export async function readDue(bodies: Database, upTo = Number.MAX_SAFE_INTEGER): Promise<number[]> {
  const sql = "select distinct value as seq from words_due, json_each(seqs) where words_due.id <= ? order by seq";
  return (await bodies.query<{ seq: number }>({ sql, args: [upTo] })).map(({ seq }) => seq);
}
