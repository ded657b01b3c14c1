import type { Database, Statement } from "../store.ts";
import { indexedText } from "./tokens.ts";

/**
 * The index of words, in the bodies' database: one full-text table for each range of records by number, so that searches go
 * back in bounded steps, retention drops complete tables, and erasing rewrites one range at a time.
 *
 * A table stores which records have a word, but neither the text nor the word's position: a tenth to a fifth of the text's
 * size. Tokens are made here, so SQLite only splits at spaces.
 */
export const SHARD_RECORDS = 65_536;

export const shardOf = (seq: number) => Math.floor(seq / SHARD_RECORDS);
export const tableOf = (shard: number) => `words_${Math.trunc(shard)}`;

/** A token that no text contains, because it does not start with a letter. Every record has that of its organization. */
export const organizationToken = (organizationId: string) => `_${Buffer.from(organizationId).toString("hex")}`;

/** Cached from the previous record: most records of a batch belong to one organization. */
let last = { organizationId: "", token: organizationToken("") };

function tokenOf(organizationId: string): string {
  if (last.organizationId !== organizationId) last = { organizationId, token: organizationToken(organizationId) };
  return last.token;
}

export interface Words {
  readonly seq: number;
  readonly organizationId: string;
  /** The record's text; null when it has none. */
  readonly text: string | null;
}

/** Statements that index records; a record that is already indexed gets the new words. */
export function insertWords(records: readonly Words[]): Statement[] {
  const spoken = new Map<number, Words>();
  for (const each of records) if (each.text !== null) spoken.set(each.seq, each);
  return [...Map.groupBy(spoken.values(), ({ seq }) => shardOf(seq))].flatMap(([shard, group]) => {
    const seqs = group.map(({ seq }) => seq);
    // Tokens have no characters that JSON would escape, and as members of one object they are parsed once, not row by row.
    const members = group.map(
      ({ seq, organizationId, text }) => `"${seq}":"${tokenOf(organizationId)} ${indexedText(text ?? "")}"`,
    );
    return [
      { sql: "insert or ignore into word_shards (shard) values (?)", args: [shard] },
      { sql: createTable(shard), args: [] },
      { sql: removeIndexed(shard), args: [Math.min(...seqs), JSON.stringify(seqs)] },
      {
        sql: `insert into ${tableOf(shard)} (rowid, words) select cast(key as integer), value from json_each(?)`,
        args: [`{${members.join(",")}}`],
      },
    ];
  });
}

/**
 * Removes the records of a list that are indexed: the lowest is bound first. New records follow all that are indexed, so none is
 * looked up; "insert or replace" would look up each, which is a sixth of the time of indexing a short text.
 */
const removeIndexed = (shard: number) => `delete from ${tableOf(shard)} where rowid in
  (select value from json_each(iif((select max(id) from ${tableOf(shard)}_docsize) >= ?, ?, '[]')))`;

const createTable = (shard: number) => `create virtual table if not exists ${tableOf(shard)}
  using fts5(words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'")`;

interface Shard {
  readonly shard: number;
  /** Removals since the last rewrite. */
  readonly removals: number;
}

/** Newest first. */
export function shards(database: Database): Promise<Shard[]> {
  return database.query<Shard>({ sql: "select shard, removals from word_shards order by shard desc", args: [] });
}
