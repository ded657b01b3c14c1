/** A table of a database, and the statement that created it. */
export interface MadeTable {
  readonly name: string;
  readonly sql: string;
}

/** SQL that lists the tables of a database. */
export const MADE_TABLES = "select name, sql from sqlite_master where type = 'table'";

/** Tables that SQLite, libSQL and replication tools create. */
const OF_THE_SYSTEM = /^(sqlite|libsql|_)/;
/** Columns of Weir's own `migrations` table: other programs have a table of that name too. */
const OUR_MIGRATIONS = /\btarget\b.*\bapplied_at\b/is;

/** Whether these tables belong to a database that Weir has migrated. */
export function isMigrated(tables: readonly MadeTable[]): boolean {
  return tables.some(({ name, sql }) => name === "migrations" && OUR_MIGRATIONS.test(sql));
}

/** Names of tables that belong to another program; empty for a database that Weir has migrated. */
export function foreignTables(tables: readonly MadeTable[]): readonly string[] {
  return isMigrated(tables) ? [] : tables.map(({ name }) => name).filter((name) => !OF_THE_SYSTEM.test(name));
}

/** @param foreign - at least one. */
export const saysForeign = (database: string, foreign: readonly string[]): string =>
  `${database} has tables of another program (${foreign.slice(0, 3).join(", ")})`;
