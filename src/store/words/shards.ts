import type { Database, Statement } from "../store.ts";
import { indexedText } from "./tokens.ts";

/**
 * The index of words, in the bodies' database: one full-text table for each range of records by number, so that a
 * search goes back in bounded steps, retention drops whole tables, and what is erased is rewritten a range at a time.
 *
 * A table holds which records have a word, not the text nor where in it the word stands: a tenth to a fifth of the
 * text's size. Tokens are made here, so SQLite only cuts at spaces.
 */
export const SHARD_RECORDS = 65_536;

export const shardOf = (seq: number) => Math.floor(seq / SHARD_RECORDS);
export const tableOf = (shard: number) => `words_${Math.trunc(shard)}`;

/** A word that no text has: it begins with what is no letter. Every record has its organization's. */
export const organizationToken = (organizationId: string) => `_${Buffer.from(organizationId).toString("hex")}`;

/** Of the record before: most that are put in together are of one organization. */
let last = { organizationId: "", token: organizationToken("") };

function tokenOf(organizationId: string): string {
  if (last.organizationId !== organizationId) last = { organizationId, token: organizationToken(organizationId) };
  return last.token;
}

export interface Words {
  readonly seq: number;
  readonly organizationId: string;
  /** What was said in the record; one without text has no words. */
  readonly text: string | null;
}

/** Statements that put records into the index; of a record that is there already the new words count. */
export function insertWords(records: readonly Words[]): Statement[] {
  const spoken = records.filter(({ text }) => text !== null);
  return [...Map.groupBy(spoken, ({ seq }) => shardOf(seq))].flatMap(([shard, group]) => {
    const rows = group.map(({ seq, organizationId, text }) => [
      seq,
      `${tokenOf(organizationId)} ${indexedText(text ?? "")}`,
    ]);
    return [
      { sql: "insert or ignore into word_shards (shard) values (?)", args: [shard] },
      { sql: createTable(shard), args: [] },
      {
        sql: `insert or replace into ${tableOf(shard)} (rowid, words)
          select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(?)`,
        args: [JSON.stringify(rows)],
      },
    ];
  });
}

const createTable = (shard: number) => `create virtual table if not exists ${tableOf(shard)}
  using fts5(words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'")`;

export interface Shard {
  readonly shard: number;
  /** Removals since it was last rewritten. */
  readonly removals: number;
}

/** Newest first. */
export function shards(database: Database): Promise<Shard[]> {
  return database.query<Shard>({ sql: "select shard, removals from word_shards order by shard desc", args: [] });
}
