/** A table of a database, and the statement that made it. */
export interface MadeTable {
  readonly name: string;
  readonly sql: string;
}

/** SQL of the tables of a database. */
export const MADE_TABLES = "select name, sql from sqlite_master where type = 'table'";

/** Tables that SQLite, libSQL and tools for replication make. */
const OF_THE_SYSTEM = /^(sqlite|libsql|_)/;
/** Columns of Weir's own `migrations`: other programs have a table with that name too. */
const OUR_MIGRATIONS = /\btarget\b.*\bapplied_at\b/is;

/** Whether Weir has been at the database of these tables. */
export function isMigrated(tables: readonly MadeTable[]): boolean {
  return tables.some(({ name, sql }) => name === "migrations" && OUR_MIGRATIONS.test(sql));
}

/** Of a database's tables those of something else; none where Weir has been at it. */
export function foreignTables(tables: readonly MadeTable[]): readonly string[] {
  return isMigrated(tables) ? [] : tables.map(({ name }) => name).filter((name) => !OF_THE_SYSTEM.test(name));
}

/** @param foreign - at least one. */
export const saysForeign = (database: string, foreign: readonly string[]): string =>
  `${database} holds tables of something else (${foreign.slice(0, 3).join(", ")})`;
